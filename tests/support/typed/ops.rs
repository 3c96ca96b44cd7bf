//! Statements and functions of a random typed program.

use std::fmt::Write as _;

use super::defs::{BUFFER, Def, ELEMENTS, Kind, Leaf, PLAIN, Way, World};
use super::{Function, Unit};

/// How much of a function's work may be done by calls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// Calls nothing.
    Helper,
    Thread,
}

impl World {
    /// A file of the program. With another one, `other` is its prefix.
    pub fn unit(&mut self, other: Option<&'static str>, main: bool) -> Unit {
        (self.other, self.main) = (other, main);
        let mut functions = Vec::new();
        for t in 0..=PLAIN {
            let ty = self.ty(t);
            let more = match self.defs[t].tail {
                Some(_) => format!(" + {ELEMENTS} * sizeof(void *)"),
                None => String::new(),
            };
            functions.push(Function {
                head: format!(
                    "static {ty} *{}_new{t}(void)\n{{\n    {ty} *p = make(sizeof *p{more});",
                    self.name
                ),
                chunks: self.tags(t),
                tail: "    return p;\n}".to_string(),
            });
        }
        for t in 0..=PLAIN {
            let head = format!("static void {}_cb{t}({} *arg)", self.name, self.ty(t));
            functions.push(self.function(&head, Some(t), 1, Level::Helper));
            let head = format!("static void {}_use{t}(void *arg)", self.name);
            functions.push(self.function(&head, Some(t), 1, Level::Helper));
        }
        if other.is_some() {
            let head = format!("void {}_take(void *arg)", self.name);
            functions.push(self.function(&head, Some(1), 1, Level::Helper));
            functions.push(Function {
                head: format!("void *{}_out(void)\n{{", self.name),
                chunks: Vec::new(),
                tail: format!("    return {0}1_p ? {0}1_p : {0}_new1();\n}}", self.name),
            });
        }
        let argument = self.often[0];
        let head = format!("void {}_thread(void *arg)", self.name);
        let count = 4 + self.rng.below(4);
        functions.push(self.function(&head, Some(argument), count, Level::Thread));
        if main {
            let mut f = self.function("int main(void)", None, 12, Level::Thread);
            let mut at = f.chunks.len() - 1 - self.rng.below(5);
            let thread = |name: &str, arg: String| format!("__irkiss_async({name}_thread, {arg});");
            f.chunks
                .insert(at, thread(self.name, format!("p{argument}")));
            if let Some(other) = other {
                at += 1;
                f.chunks
                    .insert(at, thread(other, format!("{other}_argument()")));
            } else if self.rng.chance(20) {
                f.chunks
                    .insert(at, thread(self.name, format!("p{argument}")));
            }
            f.tail = f.tail.replace("\n}", "\n    return 0;\n}");
            functions.push(f);
        } else {
            functions.push(Function {
                head: format!("void *{}_argument(void)\n{{", self.name),
                chunks: Vec::new(),
                tail: format!("    return {}_new{argument}();\n}}", self.name),
            });
        }
        Unit {
            head: self.definitions() + &self.globals(),
            functions,
        }
    }

    /// What a new object's unions hold is settled before anybody sees it.
    fn tags(&mut self, t: usize) -> Vec<String> {
        let members = self.defs[t].members.clone().into_iter().enumerate();
        members
            .filter(|(_, k)| matches!(k, Kind::TaggedUnion(..)))
            .map(|(m, _)| format!("p->t{m} = {};", self.rng.below(2)))
            .collect()
    }

    fn globals(&mut self) -> String {
        let (mut out, name) = (String::new(), self.name);
        let all = 2 * PLAIN + 2;
        let _ = writeln!(
            out,
            "static struct lock {name}_lk;\nstatic void *{name}_bag[{all}];\nstatic struct head {name}_heads[{all}];"
        );
        for t in 0..=PLAIN {
            let ty = self.ty(t);
            let _ = writeln!(
                out,
                "static {ty} *{name}{t}_p;\nstatic void *{name}{t}_v;\n\
                 static {ty} *{name}_new{t}(void);\n\
                 static void {name}_cb{t}({ty} *);"
            );
            for (m, kind) in self.defs[t].members.clone().into_iter().enumerate() {
                if let Kind::Nested(k) | Kind::Array(k) = kind {
                    let _ = writeln!(out, "static {} *{name}{t}_in{m};", self.ty(k));
                }
            }
        }
        for t in 0..PLAIN {
            let ty = self.ty(t);
            let first = self.defs[t].members.iter().position(|k| match k {
                Kind::Ptr(k) | Kind::Void(k) => *k < t,
                Kind::Call(_) => true,
                _ => false,
            });
            let value = match first.map(|m| (m, self.defs[t].members[m])) {
                Some((m, Kind::Ptr(k) | Kind::Void(k))) => {
                    format!(" = {{ .m{m} = &{name}{k}_g }}")
                }
                Some((m, Kind::Call(k))) => format!(" = {{ .m{m} = (void *){name}_cb{k} }}"),
                _ => String::new(),
            };
            let _ = writeln!(
                out,
                "static {ty} {name}{t}_g{value}, {name}{t}_arr[{ELEMENTS}];"
            );
        }
        let _ = writeln!(out, "static {} *{name}_big;", self.ty(0));
        if let Some(other) = self.other {
            let _ = writeln!(
                out,
                "void {other}_take(void *), *{other}_out(void), {other}_thread(void *), *{other}_argument(void);\n\
                 static void *{name}_foreign;"
            );
        }
        out
    }

    fn function(&mut self, head: &str, arg: Option<usize>, count: usize, level: Level) -> Function {
        let mut out = format!("{head}\n{{\n");
        let mut chunks = Vec::new();
        let index = match level == Level::Thread || self.rng.chance(30) {
            true => "__irkiss_nondet_u8() & 1",
            false => "1",
        };
        let _ = writeln!(
            out,
            "    unsigned i = {index};\n    int n = 0;\n    struct head *h;\n    void *v;"
        );
        for t in 0..=PLAIN {
            let name = self.name;
            let start = match self.rng.below(10) {
                _ if arg == Some(t) => "arg".to_string(),
                0..=3 if t < PLAIN => format!("&{name}{t}_g"),
                4 | 5 if t < PLAIN => format!("&{name}{t}_arr[i]"),
                6 if t < PLAIN && level == Level::Thread => {
                    let _ = writeln!(out, "    {} x{t} = {{ 0 }};", self.ty(t));
                    format!("&x{t}")
                }
                7 => format!("{name}{t}_p ? {name}{t}_p : {name}_new{t}()"),
                _ => format!("{name}_new{t}()"),
            };
            chunks.push(format!("{} *p{t} = {start};", self.ty(t)));
        }
        out.pop();
        while chunks.len() < count + PLAIN + 1 {
            chunks.extend(self.statement(level));
        }
        Function {
            head: out,
            chunks,
            tail: "    __irkiss_assume(n != 12345);\n}".to_string(),
        }
    }

    fn pick(&mut self, t: usize, want: impl Fn(Leaf) -> bool) -> Option<Way> {
        let mut all = self.ways(t);
        all.retain(|w| want(w.leaf));
        match all.len() {
            0 => None,
            n => Some(all.swap_remove(self.rng.below(n))),
        }
    }

    /// A statement on what a way of `p{t}` leads to, mostly under a lock. `body` is given the member.
    fn access(&mut self, t: usize, way: &Way, body: &dyn Fn(&str) -> String) -> String {
        let own = self.defs[t].lock && self.rng.chance(80);
        let lock = match self.rng.below(10) {
            0 | 1 => None,
            _ if own => Some("&o->lk".to_string()),
            _ => Some(format!("&{}_lk", self.name)),
        };
        let guards: Vec<String> = way.guards.iter().map(|g| g.replace('@', "o->")).collect();
        let mut inner = body(&format!("o->{}", way.text));
        if !guards.is_empty() {
            inner = format!("if ({}) {{ {inner} }}", guards.join(" && "));
        }
        if let Some(lock) = lock {
            inner = format!("pthread_mutex_lock({lock}); {inner} pthread_mutex_unlock({lock});");
        }
        format!("{{ {} *o = p{t}; {inner} }}", self.ty(t))
    }

    /// Takes `expr`, unless null, for `p{t}`.
    fn become_(&self, t: usize, expr: &str) -> String {
        format!(
            "{{ {} *x = (void *)({expr}); if (x) p{t} = x; }}",
            self.ty(t)
        )
    }

    fn statement(&mut self, level: Level) -> Option<String> {
        let t = match self.rng.chance(60) {
            true => self.often[self.rng.below(2)],
            false => self.rng.below(PLAIN + 1),
        };
        let name = self.name;
        Some(match self.rng.below(38) {
            // Where it is made nothing says what it is.
            37 => {
                let more = match self.defs[t].tail {
                    Some(_) => format!(" + {ELEMENTS} * sizeof(void *)"),
                    None => String::new(),
                };
                let ty = self.ty(t);
                format!("{name}_bag[i + {}] = make(sizeof({ty}){more});", 2 * t)
            }
            0 => format!("p{t} = {name}_new{t}();"),
            1 if t < PLAIN => format!("p{t} = &{name}{t}_arr[i];"),
            2 => format!("{name}{t}_p = p{t};"),
            3 => self.become_(t, &format!("{name}{t}_p")),
            4 => format!("{name}{t}_v = p{t};"),
            5 => self.become_(t, &format!("{name}{t}_v")),
            // All in one array: only the program knows what is where.
            6 | 34 => format!("{name}_bag[i + {}] = p{t};", 2 * t),
            7 | 35 | 36 => self.become_(t, &format!("{name}_bag[i + {}]", 2 * t)),
            8 | 9 => {
                let way = self.pick(t, |l| matches!(l, Leaf::Int | Leaf::Char))?;
                let value = self.rng.below(3);
                self.access(t, &way, &|m| format!("{m} = {value};"))
            }
            10 | 11 => {
                let way = self.pick(t, |l| matches!(l, Leaf::Int | Leaf::Char))?;
                self.access(t, &way, &|m| format!("n += {m};"))
            }
            12..=16 => self.keep(t)?,
            17..=20 => self.follow(t)?,
            21 if self.defs[t].link && self.home(t).is_none() => self.list(t),
            22 => self.linked(t)?,
            23 => {
                let way = self.pick(t, |l| matches!(l, Leaf::Nested(_)))?;
                let Leaf::Nested(k) = way.leaf else {
                    return None;
                };
                match self.rng.below(4) {
                    0 => self.access(t, &way, &|m| format!("{m} = *p{k};")),
                    1 => self.access(t, &way, &|m| format!("*p{k} = {m};")),
                    2 => self.access(t, &way, &|m| {
                        format!("__builtin_memcpy(&{m}, p{k}, sizeof {m});")
                    }),
                    _ => self.access(t, &way, &|m| format!("p{k} = &{m};")),
                }
            }
            24 => {
                let from = match self.rng.below(3) {
                    0 if t < PLAIN => format!("{name}{t}_g"),
                    1 if t < PLAIN => format!("{name}{t}_arr[i]"),
                    _ => format!("*{name}_new{t}()"),
                };
                format!("*p{t} = {from};")
            }
            25 => {
                let way = self.pick(t, |l| l == Leaf::Buffer)?;
                let other = self.rng.below(PLAIN);
                match self.pick(other, |l| l == Leaf::Buffer) {
                    Some(from) if from.guards.is_empty() => self.access(t, &way, &|m| {
                        format!(
                            "__builtin_memcpy({m}, p{other}->{}, {});",
                            from.text,
                            BUFFER - 8
                        )
                    }),
                    _ => self.access(t, &way, &|m| {
                        format!("{{ char *c = {m}; for (n = 0; n < 2; n++) c[n + i] = 1; }}")
                    }),
                }
            }
            26 | 27 => {
                let way = self.pick(t, |l| matches!(l, Leaf::Raw(_)))?;
                let Leaf::Raw(k) = way.leaf else { return None };
                let ty = self.ty(k);
                match self.rng.below(3) {
                    0 => self.access(t, &way, &|m| format!("p{k} = ({ty} *){m};")),
                    1 => self.access(t, &way, &|m| {
                        format!("__builtin_memcpy({m}, p{k}, sizeof({ty}));")
                    }),
                    _ => self.access(t, &way, &|m| {
                        format!("__builtin_memcpy(p{k}, {m}, sizeof({ty}));")
                    }),
                }
            }
            28 | 29 => self.within(t)?,
            30 => {
                let (k, whole) = (self.behind, self.ty(0));
                let part = self.ty(k);
                match self.rng.below(3) {
                    0 => format!(
                        "{{ {whole} *x = make(sizeof({whole}) + sizeof({part})); {name}_big = x; p{k} = ({part} *)(x + 1); p0 = x; }}"
                    ),
                    1 => format!("if ({name}_big) p0 = {name}_big;"),
                    _ => format!("if ({name}_big) p{k} = (void *)({name}_big + 1);"),
                }
            }
            31 => {
                // By the address of a pointer.
                let way = self.pick(t, |l| matches!(l, Leaf::Ptr(_)))?;
                let Leaf::Ptr(k) = way.leaf else { return None };
                let ty = self.ty(k);
                self.access(t, &way, &|m| {
                    format!("{{ {ty} **pp = (void *)&{m}; if (*pp) p{k} = *pp; else *pp = p{k}; }}")
                })
            }
            32 if level == Level::Thread => match self.rng.below(3) {
                0 => format!("{name}_use{t}(p{t});"),
                1 => format!("{name}_cb{t}(p{t});"),
                _ => format!("v = p{t}; {name}_use{t}(v);"),
            },
            33 if level == Level::Thread => {
                let other = self.other?;
                match self.rng.below(3) {
                    0 => format!("{name}_foreign = {other}_out();"),
                    1 => format!("if ({name}_foreign) {other}_take({name}_foreign);"),
                    _ => format!("{other}_take({other}_out());"),
                }
            }
            _ => return None,
        })
    }

    /// Stores a pointer in a member.
    fn keep(&mut self, t: usize) -> Option<String> {
        let name = self.name;
        let way = self.pick(t, |l| {
            matches!(
                l,
                Leaf::Ptr(_) | Leaf::Void(_) | Leaf::PtrAsLong(_) | Leaf::IntPtr | Leaf::Call(_)
            )
        })?;
        Some(match way.leaf {
            Leaf::Ptr(k) | Leaf::Void(k) => self.access(t, &way, &|m| format!("{m} = p{k};")),
            Leaf::PtrAsLong(k) => self.access(t, &way, &|m| format!("{m} = (unsigned long)p{k};")),
            Leaf::Call(k) => self.access(t, &way, &|m| format!("{m} = (void *){name}_cb{k};")),
            _ => {
                let k = self.rng.below(PLAIN);
                let int = self.pick(k, |l| l == Leaf::Int)?;
                if !int.guards.is_empty() {
                    return None;
                }
                let text = int.text;
                self.access(t, &way, &|m| format!("{m} = (int *)&p{k}->{text};"))
            }
        })
    }

    /// Follows a pointer in a member.
    fn follow(&mut self, t: usize) -> Option<String> {
        let way = self.pick(t, |l| {
            matches!(
                l,
                Leaf::Ptr(_) | Leaf::Void(_) | Leaf::PtrAsLong(_) | Leaf::IntPtr | Leaf::Call(_)
            )
        })?;
        let write = self.rng.chance(50);
        Some(match way.leaf {
            Leaf::Ptr(k) | Leaf::Void(k) | Leaf::PtrAsLong(k) => {
                let taken = self.become_(k, "V");
                self.access(t, &way, &|m| taken.replace('V', m))
            }
            Leaf::Call(k) => {
                let ty = self.ty(k);
                let called = self.access(t, &way, &|m| format!("v = (void *){m};"));
                format!("v = NULL; {called} if (v) ((void (*)({ty} *))v)(p{k});")
            }
            _ => self.access(t, &way, &|m| match write {
                true => format!("if ({m}) *{m} = 2;"),
                false => format!("if ({m}) n += *{m};"),
            }),
        })
    }

    fn link_of(def: &Def) -> Option<usize> {
        def.members.iter().position(|k| matches!(k, Kind::Link))
    }

    /// The global list of a struct: an element comes, goes, or all are looked at.
    fn list(&mut self, t: usize) -> String {
        let head = format!("{}_heads[i + {}]", self.name, 2 * t);
        self.list_at(t, &head)
    }

    /// A list whose head is in a struct.
    fn linked(&mut self, t: usize) -> Option<String> {
        let way = self.pick(t, |l| matches!(l, Leaf::Head(_)))?;
        let Leaf::Head(k) = way.leaf else { return None };
        let what = self.list_at(k, "(HEAD)");
        Some(self.access(t, &way, &|m| what.replace("(HEAD)", m)))
    }

    fn list_at(&mut self, t: usize, head: &str) -> String {
        let link = Self::link_of(&self.defs[t]).unwrap_or(0);
        let (ty, lk) = (self.ty(t), format!("&{}_lk", self.name));
        let value = self.rng.below(3);
        let int = self
            .pick(t, |l| l == Leaf::Int)
            .filter(|w| w.guards.is_empty());
        let touch = match (int, self.rng.chance(50)) {
            (Some(way), true) => format!("e->{} = {value};", way.text),
            (Some(way), false) => format!("n += e->{};", way.text),
            _ => format!("p{t} = e;"),
        };
        let what = match self.rng.below(6) {
            0..=2 => format!("list_add(&p{t}->m{link}, &{head});"),
            3 => format!("list_del(&p{t}->m{link});"),
            // As list_for_each does it, and list_for_each_entry: the head is taken for an element.
            4 => format!(
                "for (h = {head}.next; h && h != &{head}; h = h->next) {{ {ty} *e = container_of(h, {ty}, m{link}); {touch} if (i) break; }}"
            ),
            _ => format!(
                "if ({head}.next) for ({ty} *e = container_of({head}.next, {ty}, m{link}); &e->m{link} != &{head}; e = container_of(e->m{link}.next, {ty}, m{link})) {{ {touch} if (i) break; }}"
            ),
        };
        match self.rng.chance(85) {
            true => format!("{{ pthread_mutex_lock({lk}); {what} pthread_mutex_unlock({lk}); }}"),
            false => what,
        }
    }

    /// A pointer to a member goes away and comes back as one to the struct.
    fn within(&mut self, t: usize) -> Option<String> {
        let members = self.defs[t].members.clone().into_iter().enumerate();
        let all: Vec<(usize, usize, bool)> = members
            .filter_map(|(m, k)| match k {
                Kind::Nested(k) => Some((m, k, false)),
                Kind::Array(k) => Some((m, k, true)),
                _ => None,
            })
            .collect();
        if all.is_empty() {
            return None;
        }
        let (m, k, array) = all[self.rng.below(all.len())];
        let member = match array {
            true => format!("m{m}[1]"),
            false => format!("m{m}"),
        };
        let (name, ty) = (self.name, self.ty(t));
        let first = m == 0 && !array && !self.defs[t].lock;
        Some(match self.rng.below(4) {
            0 | 1 => format!("{name}{t}_in{m} = &p{t}->{member};"),
            2 if first => format!("if ({name}{t}_in{m}) p{t} = ({ty} *){name}{t}_in{m};"),
            2 => format!(
                "if ({name}{t}_in{m}) p{t} = container_of({name}{t}_in{m}, {ty}, {member});"
            ),
            _ => format!("if ({name}{t}_in{m}) p{k} = {name}{t}_in{m};"),
        })
    }
}
