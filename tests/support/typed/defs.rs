//! Struct definitions of a random typed program, and the ways into them.

use std::fmt::Write as _;

use super::super::random::Rng;

/// A member, by what it is.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Int,
    Long,
    /// To a struct.
    Ptr(usize),
    /// `void *`, always to that struct.
    Void(usize),
    /// `unsigned long`, holds a pointer to that struct.
    PtrAsLong(usize),
    /// To the `int` of some object.
    IntPtr,
    /// A function that takes a pointer to that struct.
    Call(usize),
    Nested(usize),
    /// Elements of an array.
    Array(usize),
    PtrArray(usize),
    Buffer,
    /// A buffer that is used as that struct.
    Raw(usize),
    /// Element of a list.
    Link,
    /// Head of a list of those structs.
    Head(usize),
    /// One pointer by two names.
    PtrUnion(usize, bool),
    /// One struct or the other; an `int` before it tells which.
    TaggedUnion(usize, usize, bool),
    /// Pointers behind the struct.
    Tail(usize),
}

/// A struct.
#[derive(Clone, Debug)]
pub struct Def {
    pub members: Vec<Kind>,
    pub lock: bool,
    /// It has a name as a typedef only.
    pub unnamed: bool,
    pub tail: Option<usize>,
    pub link: bool,
}

/// What a path through members leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    Int,
    Char,
    Ptr(usize),
    Void(usize),
    PtrAsLong(usize),
    IntPtr,
    Call(usize),
    /// The struct itself, in one; whether that is what the outermost begins with.
    Nested(usize),
    Buffer,
    Raw(usize),
    Head(usize),
}

/// A way to a leaf: text behind `->` or `.`, and what must hold first (with `@` for the text before).
#[derive(Clone, Debug)]
pub struct Way {
    pub text: String,
    pub guards: Vec<String>,
    pub leaf: Leaf,
}

/// Bytes of a buffer; all structs that it is used as are smaller.
pub const BUFFER: usize = 24;
/// Elements of an array, of a variable tail.
pub const ELEMENTS: usize = 3;
/// Structs without a tail, which others may contain.
pub const PLAIN: usize = 4;

/// The structs and what is made of them.
pub struct World {
    pub name: &'static str,
    pub defs: Vec<Def>,
    pub rng: Rng,
    /// What most statements are about.
    pub often: [usize; 2],
    /// Whose objects lie behind those of struct 0.
    pub behind: usize,
    /// The other file's prefix.
    pub other: Option<&'static str>,
    pub main: bool,
}

impl World {
    pub fn new(name: &'static str, shapes: u64, seed: u64) -> World {
        let mut rng = Rng::new(shapes);
        let mut defs: Vec<Def> = Vec::new();
        for n in 0..=PLAIN {
            let tail = n == PLAIN;
            let count = if n == 0 { 1 } else { 2 } + rng.below(4);
            let mut members: Vec<Kind> = (0..count).map(|_| kind(n, &mut rng)).collect();
            let link = members.iter().any(|k| matches!(k, Kind::Link));
            if !members.iter().any(|k| matches!(k, Kind::Int)) {
                members.insert(rng.below(members.len() + 1), Kind::Int);
            }
            let tail = tail.then(|| rng.below(PLAIN));
            members.extend(tail.map(Kind::Tail));
            defs.push(Def {
                members,
                // What fits into a buffer has no room for a lock.
                lock: n > 0 && rng.chance(60),
                unnamed: rng.chance(15),
                tail,
                link,
            });
        }
        let behind = rng.below(PLAIN);
        let mut rng = Rng::new(seed);
        World {
            name,
            defs,
            often: [rng.below(PLAIN), rng.below(PLAIN + 1)],
            rng,
            behind,
            other: None,
            main: false,
        }
    }

    /// The type by name.
    pub fn ty(&self, t: usize) -> String {
        match self.defs[t].unnamed {
            true => format!("{}{t}_t", self.name),
            false => format!("struct {}{t}", self.name),
        }
    }

    /// All definitions.
    pub fn definitions(&self) -> String {
        let mut out = String::new();
        for t in 0..self.defs.len() {
            if !self.defs[t].unnamed {
                let _ = writeln!(out, "{};", self.ty(t));
            }
        }
        for (t, def) in self.defs.iter().enumerate() {
            let mut body = String::new();
            for (m, kind) in def.members.iter().enumerate() {
                let _ = writeln!(body, "    {}", self.declared(t, m, *kind));
                // In the middle, so that the struct may begin with another one.
                if def.lock && m == 0 {
                    body.push_str("    struct lock lk;\n");
                }
            }
            let _ = match def.unnamed {
                true => writeln!(out, "typedef struct {{\n{body}}} {};", self.ty(t)),
                false => writeln!(out, "{} {{\n{body}}};", self.ty(t)),
            };
        }
        out
    }

    /// To what is not declared yet and has no name but a typedef's, pointers are `void *`.
    fn pointer(&self, t: usize, to: usize) -> String {
        match self.defs[to].unnamed && to >= t {
            true => "void *".to_string(),
            false => format!("{} *", self.ty(to)),
        }
    }

    fn declared(&self, t: usize, m: usize, kind: Kind) -> String {
        let named = |anonymous: bool| match anonymous {
            true => String::new(),
            false => format!(" u{m}"),
        };
        match kind {
            Kind::Int => format!("int m{m};"),
            Kind::Long => format!("long m{m};"),
            Kind::Ptr(k) => format!("{}m{m};", self.pointer(t, k)),
            Kind::Void(_) => format!("void *m{m};"),
            Kind::PtrAsLong(_) => format!("unsigned long m{m};"),
            Kind::IntPtr => format!("int *m{m};"),
            Kind::Call(k) => format!("void (*m{m})({});", self.pointer(t, k)),
            Kind::Nested(k) => format!("{} m{m};", self.ty(k)),
            Kind::Array(k) => format!("{} m{m}[{ELEMENTS}];", self.ty(k)),
            Kind::PtrArray(k) => format!("{}m{m}[{ELEMENTS}];", self.pointer(t, k)),
            Kind::Buffer => format!("char m{m}[{BUFFER}];"),
            Kind::Raw(k) => format!(
                "unsigned char m{m}[sizeof({})] __attribute__((aligned(8)));",
                self.ty(k)
            ),
            Kind::Link => format!("struct head m{m};"),
            Kind::Head(_) => format!("struct head m{m};"),
            Kind::PtrUnion(k, anonymous) => format!(
                "union {{ int i{m}; void *p{m}; {}q{m}; }}{};",
                self.pointer(t, k),
                named(anonymous)
            ),
            Kind::TaggedUnion(x, y, anonymous) => format!(
                "int t{m}; union {{ {} x{m}; {} y{m}; char c{m}[8]; }}{};",
                self.ty(x),
                self.ty(y),
                named(anonymous)
            ),
            Kind::Tail(k) => format!("{}m{m}[];", self.pointer(t, k)),
        }
    }

    /// The member that heads the lists of a struct: nothing can be in two lists by the same link, so all of its heads are of one kind. `None`:
    /// they are global, or it has no link.
    pub fn home(&self, of: usize) -> Option<(usize, usize)> {
        let is_head = |k: &Kind| matches!(k, Kind::Head(k) if *k == of);
        let heads = self.defs.iter().enumerate();
        let mut heads = heads.filter_map(|(t, d)| Some((t, d.members.iter().position(is_head)?)));
        heads.next().filter(|_| self.defs[of].link)
    }

    /// All ways into a struct.
    pub fn ways(&mut self, t: usize) -> Vec<Way> {
        let mut out = Vec::new();
        for (m, kind) in self.defs[t].members.clone().into_iter().enumerate() {
            let index = self.index();
            let mut leaf = |text: String, leaf: Leaf| {
                out.push(Way {
                    text,
                    guards: Vec::new(),
                    leaf,
                });
            };
            match kind {
                Kind::Int => leaf(format!("m{m}"), Leaf::Int),
                Kind::Long => leaf(format!("m{m}"), Leaf::Int),
                Kind::Ptr(k) => leaf(format!("m{m}"), Leaf::Ptr(k)),
                Kind::Void(k) => leaf(format!("m{m}"), Leaf::Void(k)),
                Kind::PtrAsLong(k) => leaf(format!("m{m}"), Leaf::PtrAsLong(k)),
                Kind::IntPtr => leaf(format!("m{m}"), Leaf::IntPtr),
                Kind::Call(k) => leaf(format!("m{m}"), Leaf::Call(k)),
                Kind::PtrArray(k) | Kind::Tail(k) => leaf(format!("m{m}{index}"), Leaf::Ptr(k)),
                Kind::Buffer => {
                    leaf(format!("m{m}"), Leaf::Buffer);
                    leaf(format!("m{m}{index}"), Leaf::Char);
                }
                Kind::Raw(k) => leaf(format!("m{m}"), Leaf::Raw(k)),
                Kind::Head(k) if self.home(k) == Some((t, m)) => {
                    leaf(format!("m{m}"), Leaf::Head(k));
                }
                Kind::Link | Kind::Head(_) => {}
                Kind::PtrUnion(k, anonymous) => {
                    let u = if anonymous {
                        String::new()
                    } else {
                        format!("u{m}.")
                    };
                    leaf(format!("{u}p{m}"), Leaf::Void(k));
                    leaf(format!("{u}q{m}"), Leaf::Ptr(k));
                }
                Kind::Nested(k) => out.extend(self.inside(&format!("m{m}"), k, None)),
                Kind::Array(k) => out.extend(self.inside(&format!("m{m}{index}"), k, None)),
                Kind::TaggedUnion(x, y, anonymous) => {
                    let u = if anonymous {
                        String::new()
                    } else {
                        format!("u{m}.")
                    };
                    let one = self.inside(&format!("{u}x{m}"), x, Some(format!("@t{m} != 1")));
                    let two = self.inside(&format!("{u}y{m}"), y, Some(format!("@t{m} == 1")));
                    out.extend(one.into_iter().chain(two));
                }
            }
        }
        out
    }

    fn inside(&mut self, text: &str, k: usize, guard: Option<String>) -> Vec<Way> {
        let mut all = self.ways(k);
        for way in &mut all {
            way.text = format!("{text}.{}", way.text);
            for g in &mut way.guards {
                *g = g.replace('@', &format!("@{text}."));
            }
            way.guards.splice(0..0, guard.clone());
        }
        all.push(Way {
            text: text.to_string(),
            guards: guard.into_iter().collect(),
            leaf: Leaf::Nested(k),
        });
        all
    }

    fn index(&mut self) -> String {
        match self.rng.below(3) {
            0 => format!("[{}]", self.rng.below(ELEMENTS)),
            _ => "[i]".to_string(),
        }
    }
}

/// A member of struct number `n`.
fn kind(n: usize, rng: &mut Rng) -> Kind {
    let any = rng.below(PLAIN);
    let anonymous = rng.chance(50);
    let smaller = |rng: &mut Rng| rng.below(n.min(PLAIN));
    match rng.below(24) {
        0 | 1 => Kind::Int,
        2 => Kind::Long,
        3..=5 => Kind::Ptr(any),
        6 | 7 => Kind::Void(any),
        8 => Kind::PtrAsLong(any),
        9 => Kind::IntPtr,
        10 => Kind::Call(any),
        11..=13 if n > 0 => Kind::Nested(smaller(rng)),
        14 if n > 0 => Kind::Array(smaller(rng)),
        15 => Kind::PtrArray(any),
        16 => Kind::Buffer,
        17 if n > 0 => Kind::Raw(smaller(rng)),
        18 | 19 => Kind::Link,
        20 => Kind::Head(any),
        21 | 22 => Kind::PtrUnion(any, anonymous),
        23 if n > 0 => {
            let (x, y) = (smaller(rng), smaller(rng));
            Kind::TaggedUnion(x, y, anonymous)
        }
        _ => Kind::Int,
    }
}
