//! Names that C++ compilers give to functions of OpenCL C, by the rules of the Itanium C++ ABI: as far as parameters of
//! built-in functions have types.

/// A function of OpenCL C, of a mangled name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mangled {
    /// The function's name.
    pub(super) name: String,
    /// Its parameters' types, as OpenCL C writes them.
    pub(super) parameters: Vec<String>,
}

/// Types in types, a bound: built-in functions have three, a name made up might have as many as it has letters.
const MAX_DEPTH: u32 = 8;

impl Mangled {
    /// Takes a name apart; `None` if it is none of a function of OpenCL C's types, or `fits` has another idea of these.
    pub(super) fn of(symbol: &str, fits: impl Fn(&[String]) -> bool) -> Option<Mangled> {
        let mut readings = [true, false].into_iter().filter_map(|counts_private| Mangled::read(symbol, counts_private));
        readings.find(|mangled| fits(&mangled.parameters))
    }

    fn read(symbol: &str, counts_private: bool) -> Option<Mangled> {
        let mut reader = Reader { rest: symbol.strip_prefix("_Z")?, seen: Vec::new(), counts_private };
        let name = reader.source_name()?;
        let first = name.chars().next()?;
        let is_identifier = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !first.is_ascii_digit();
        if !is_identifier {
            return None;
        }
        let mut parameters = Vec::new();
        if reader.rest != "v" {
            while !reader.rest.is_empty() {
                parameters.push(reader.ty(0)?.text);
            }
        }
        Some(Mangled { name: name.to_owned(), parameters })
    }
}

/// A type that was read.
#[derive(Clone)]
struct Spelled {
    text: String,
    /// It names an address space.
    has_space: bool,
}

impl Spelled {
    fn plain(text: impl Into<String>) -> Spelled {
        Spelled { text: text.into(), has_space: false }
    }
}

struct Reader<'s> {
    rest: &'s str,
    /// Types that the name may repeat by their number.
    seen: Vec<Spelled>,
    /// What a pointer without address space points to counts once more among them, as private: so do clang's names for
    /// OpenCL C, where it is a qualifier that has no letters.
    counts_private: bool,
}

impl<'s> Reader<'s> {
    fn take(&mut self, prefix: &str) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Digits; `None` if there are none, or very many.
    fn number(&mut self) -> Option<usize> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        digits.parse().ok()
    }

    /// A name behind its length.
    fn source_name(&mut self) -> Option<&'s str> {
        let length = self.number()?;
        let (name, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(name)
    }

    fn keep(&mut self, ty: Spelled) -> Option<Spelled> {
        self.seen.push(ty.clone());
        Some(ty)
    }

    fn ty(&mut self, depth: u32) -> Option<Spelled> {
        if depth == MAX_DEPTH {
            return None;
        }
        let (qualifiers, has_space) = self.qualifiers()?;
        if !qualifiers.is_empty() {
            let inner = self.ty(depth + 1)?;
            // No built-in function has a pointer to a pointer.
            let text = (!inner.text.ends_with('*')).then(|| format!("{qualifiers} {}", inner.text))?;
            return self.keep(Spelled { text, has_space });
        }
        if self.take("P") {
            let is_qualified = self.rest.starts_with(['U', 'r', 'V', 'K']) && !self.rest.starts_with("U7_Atomic");
            let pointee = self.ty(depth + 1).filter(|pointee| !pointee.text.ends_with('*'))?;
            if self.counts_private && !is_qualified {
                self.seen.push(Spelled { text: format!("__private {}", pointee.text), has_space: true });
            }
            // Without an address space OpenCL C means the generic one, and the ABI the private one.
            let space = if pointee.has_space { "" } else { "__private " };
            return self.keep(Spelled::plain(format!("{space}{} *", pointee.text)));
        }
        if self.take("U7_Atomic") {
            let name = match self.ty(depth + 1)?.text.as_str() {
                "int" => "atomic_int",
                "uint" => "atomic_uint",
                "long" => "atomic_long",
                "ulong" => "atomic_ulong",
                "half" => "atomic_half",
                "float" => "atomic_float",
                "double" => "atomic_double",
                _ => return None,
            };
            return self.keep(Spelled::plain(name));
        }
        if self.take("Dv") {
            let count =
                self.number().filter(|count| matches!(count, 2 | 3 | 4 | 8 | 16) && self.rest.starts_with('_'))?;
            self.take("_");
            let element = self.scalar()?;
            return self.keep(Spelled::plain(format!("{element}{count}")));
        }
        if self.take("S") {
            return self.seen_before();
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            return self.named();
        }
        self.scalar().map(Spelled::plain)
    }

    /// Qualifiers of a type, as OpenCL C writes them, and whether an address space is among them.
    fn qualifiers(&mut self) -> Option<(String, bool)> {
        let (mut all, mut has_space) = (Vec::new(), false);
        loop {
            let space = self.rest.strip_prefix("U3AS").and_then(|rest| rest.chars().next());
            let word = match space {
                Some(number) => {
                    has_space = true;
                    self.rest = self.rest.get("U3AS".len() + 1..)?;
                    match number {
                        '0' => "__private",
                        '1' => "__global",
                        '2' => "__constant",
                        '3' => "__local",
                        '4' => "__generic",
                        _ => return None,
                    }
                }
                None if self.take("r") => "restrict",
                None if self.take("V") => "volatile",
                None if self.take("K") => "const",
                None => return Some((all.join(" "), has_space)),
            };
            all.push(word);
        }
    }

    /// A type by its number among those before.
    fn seen_before(&mut self) -> Option<Spelled> {
        let (digits, rest) = self.rest.split_once('_')?;
        self.rest = rest;
        let index = if digits.is_empty() { 0 } else { usize::from_str_radix(digits, 36).ok()?.checked_add(1)? };
        self.seen.get(index).cloned()
    }

    /// A type that has a name: those of OpenCL C that are no numbers.
    fn named(&mut self) -> Option<Spelled> {
        let name = self.source_name()?;
        match name {
            "memory_order" | "memory_scope" => return self.keep(Spelled::plain(name)),
            "ocl_sampler" => return self.keep(Spelled::plain("sampler_t")),
            "ocl_event" => return self.keep(Spelled::plain("event_t")),
            _ => {}
        }
        let (image, access) = name.strip_prefix("ocl_image")?.rsplit_once('_')?;
        let access = match access {
            "ro" => "read_only",
            "wo" => "write_only",
            "rw" => "read_write",
            _ => return None,
        };
        let kinds = ["1d", "1d_array", "1d_buffer", "2d", "2d_array", "2d_depth", "2d_array_depth", "3d"];
        let ty = kinds.contains(&image).then(|| Spelled::plain(format!("{access} image{image}_t")))?;
        self.keep(ty)
    }

    /// A number's type.
    fn scalar(&mut self) -> Option<&'static str> {
        const NAMES: [(&str, &str); 17] = [
            ("Dh", "half"),
            ("DF16_", "half"),
            ("v", "void"),
            ("b", "bool"),
            ("c", "char"),
            ("a", "char"),
            ("h", "uchar"),
            ("s", "short"),
            ("t", "ushort"),
            ("i", "int"),
            ("j", "uint"),
            ("l", "long"),
            ("x", "long"),
            ("m", "ulong"),
            ("y", "ulong"),
            ("f", "float"),
            ("d", "double"),
        ];
        NAMES.iter().find(|(letters, _)| self.take(letters)).map(|(_, name)| *name)
    }
}

#[cfg(test)]
mod tests {
    use super::Mangled;

    #[test]
    fn types_are_spelled_as_in_the_language() {
        for (symbol, name, parameters) in [
            ("_Z10atomic_incPU3AS3Vj", "atomic_inc", &["__local volatile uint *"][..]),
            ("_Z9mem_fencej", "mem_fence", &["uint"]),
            ("_Z12get_work_dimv", "get_work_dim", &[]),
            ("_Z5fractDv4_fPS_", "fract", &["float4", "__private float4 *"]),
            ("_Z5fractDv4_fPU3AS1S_", "fract", &["float4", "__global float4 *"]),
            ("_Z6selectDv2_dS_Dv2_l", "select", &["double2", "double2", "long2"]),
            (
                "_Z25atomic_fetch_max_explicitPU3AS4VU7_Atomicii12memory_order12memory_scope",
                "atomic_fetch_max_explicit",
                &["__generic volatile atomic_int *", "int", "memory_order", "memory_scope"],
            ),
            (
                "_Z30atomic_compare_exchange_strongPU3AS1VU7_AtomicjPU3AS3jj",
                "atomic_compare_exchange_strong",
                &["__global volatile atomic_uint *", "__local uint *", "uint"],
            ),
            (
                "_Z11read_imagef20ocl_image2d_array_ro11ocl_samplerDv4_f",
                "read_imagef",
                &["read_only image2d_array_t", "sampler_t", "float4"],
            ),
            ("_Z17wait_group_eventsiPU3AS49ocl_event", "wait_group_events", &["int", "__generic event_t *"]),
            ("_Z1fPKcS0_", "f", &["__private const char *", "__private const char *"]),
            (
                "_Z39atomic_compare_exchange_strong_explicitPU3AS1VU7_AtomiciPii12memory_orderS4_",
                "atomic_compare_exchange_strong_explicit",
                &["__global volatile atomic_int *", "__private int *", "int", "memory_order", "memory_order"],
            ),
            (
                "_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_fS1_S1_",
                "read_imagef",
                &["read_only image2d_t", "sampler_t", "float2", "float2", "float2"],
            ),
        ] {
            let expected = Mangled { name: name.into(), parameters: parameters.iter().map(|p| (*p).into()).collect() };
            assert_eq!(Mangled::of(symbol, |_| true), Some(expected), "{symbol}");
        }
    }

    #[test]
    fn what_is_private_counts_once_or_twice() {
        let pointers = |symbol, expected: [bool; 3]| {
            let fits = |all: &[String]| all.iter().map(|ty| ty.ends_with('*')).eq(expected);
            Mangled::of(symbol, fits).and_then(|mut mangled| mangled.parameters.pop())
        };
        assert_eq!(pointers("_Z1fPf12memory_orderS1_", [true, false, false]).as_deref(), Some("memory_order"));
        assert_eq!(pointers("_Z1fPf12memory_orderS0_", [true, false, false]).as_deref(), Some("memory_order"));
        assert_eq!(pointers("_Z1fPf12memory_orderS0_", [true, false, true]).as_deref(), Some("__private float *"));
        assert_eq!(pointers("_Z1fPf12memory_orderS_", [false, false, false]), None);
    }

    #[test]
    fn other_names_are_none() {
        for symbol in [
            "",
            "sin",
            "_Z",
            "_Z3si",
            "_Z3a;bf",
            "_Z13a",
            "_ZN1a1bEv",
            "_Z1fS_",
            "_Z1fDv5_f",
            "_Z1f99999999999999999999x",
            "_Z1fPPi",
            "_Z1fPKPi",
            "_Z1fPPPPPPPPPPPPi",
            "_Z6printfPU3AS2Kcz",
            "_Z1f4ocl_",
            "_Z1f15ocl_image9d_ro_",
            "_Z1fU3AS",
            "_Z1fU3AS\u{e9}i",
        ] {
            assert_eq!(Mangled::of(symbol, |_| true), None, "{symbol}");
        }
    }
}
