fn main() {
    let lib = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(".z3/lib");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", lib.display());
}
