mod support;
#[test]
fn dump() {
    let s: u64 = std::env::var("S").unwrap().parse().unwrap();
    std::fs::write(
        format!("/tmp/w/seed{s}.ll"),
        support::random::Tiny::random(s).to_string(),
    )
    .unwrap();
}
