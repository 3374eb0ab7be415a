//! Reads words, names, numbers and types from a line.

use std::rc::Rc;

use crate::ir::types::{Scalar, Struct, Type};

/// A line, and how far it was read.
pub(super) struct Cursor<'t> {
    rest: &'t str,
}

/// What is wrong with a line.
pub(super) type Wrong<T> = Result<T, String>;

impl<'t> Cursor<'t> {
    pub(super) fn new(line: &'t str) -> Self {
        Cursor { rest: line.trim_start() }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    fn skip(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest.trim_start();
        taken
    }

    /// Takes this word or sign, if it comes next.
    pub(super) fn eat(&mut self, what: &str) -> bool {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let goes_on = what.ends_with(is_word) && self.rest[what.len().min(self.rest.len())..].starts_with(is_word);
        let is_next = self.rest.starts_with(what) && !goes_on;
        if is_next {
            self.skip(what.len());
        }
        is_next
    }

    pub(super) fn expect(&mut self, what: &str) -> Wrong<()> {
        if self.eat(what) { Ok(()) } else { Err(format!("`{what}` is missing in front of `{}`", self.rest)) }
    }

    /// The word that comes next.
    pub(super) fn word(&mut self) -> Wrong<&'t str> {
        let end =
            self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_.+-".contains(c))).unwrap_or(self.rest.len());
        if end == 0 { Err(format!("a word is missing in front of `{}`", self.rest)) } else { Ok(self.skip(end)) }
    }

    /// The same, without taking it.
    pub(super) fn peek(&self) -> &'t str {
        Cursor { rest: self.rest }.word().unwrap_or_default()
    }

    pub(super) fn number<N: std::str::FromStr>(&mut self) -> Wrong<N> {
        let word = self.word()?;
        word.parse().map_err(|_| format!("`{word}` is no number that fits"))
    }

    /// A name, in quotation marks or not.
    pub(super) fn name(&mut self) -> Wrong<String> {
        if !self.rest.starts_with('"') {
            let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-$._".contains(c)));
            let end = end.unwrap_or(self.rest.len());
            return if end == 0 { Err("a name is missing".to_owned()) } else { Ok(self.skip(end).to_owned()) };
        }
        let end = self.rest[1..].find('"').ok_or("a name does not end")? + 2;
        let quoted = self.skip(end);
        let (mut bytes, mut rest) = (Vec::new(), &quoted.as_bytes()[1..end - 1]);
        while let [first, more @ ..] = rest {
            (bytes, rest) = match (first, more) {
                (b'\\', [high, low, more @ ..]) => {
                    let digits = [*high, *low];
                    let digits = std::str::from_utf8(&digits).map_err(|error| error.to_string())?;
                    bytes.push(u8::from_str_radix(digits, 16).map_err(|error| error.to_string())?);
                    (bytes, more)
                }
                _ => {
                    bytes.push(*first);
                    (bytes, more)
                }
            };
        }
        String::from_utf8(bytes).map_err(|error| error.to_string())
    }

    /// What stands in parentheses.
    pub(super) fn within<T>(&mut self, read: impl FnOnce(&mut Self) -> Wrong<T>) -> Wrong<T> {
        self.expect("(")?;
        let found = read(self)?;
        self.expect(")")?;
        Ok(found)
    }

    /// A list with commas between its items, up to `end`, which is taken, too.
    pub(super) fn list<T>(&mut self, end: &str, mut each: impl FnMut(&mut Self) -> Wrong<T>) -> Wrong<Vec<T>> {
        let mut found = Vec::new();
        while !self.eat(end) {
            if !found.is_empty() {
                self.expect(",")?;
            }
            found.push(each(self)?);
        }
        Ok(found)
    }

    pub(super) fn ty(&mut self) -> Wrong<Type> {
        if self.eat("<{") {
            let members = self.list("}", Cursor::ty)?;
            self.expect(">")?;
            return Ok(Type::Struct(Rc::new(Struct { members, is_packed: true })));
        }
        if self.eat("{") {
            return Ok(Type::Struct(Rc::new(Struct { members: self.list("}", Cursor::ty)?, is_packed: false })));
        }
        if self.eat("<") {
            let length = self.number()?;
            self.expect("x")?;
            let element = self.scalar()?;
            self.expect(">")?;
            return Ok(Type::Vector(element, length));
        }
        if self.eat("[") {
            let length = self.number()?;
            self.expect("x")?;
            let element = self.ty()?;
            self.expect("]")?;
            return Ok(Type::Array(Rc::new(element), length));
        }
        if self.eat("void") { Ok(Type::Void) } else { self.scalar().map(Type::Scalar) }
    }

    fn scalar(&mut self) -> Wrong<Scalar> {
        Ok(match self.word()? {
            "half" => Scalar::Half,
            "bfloat" => Scalar::BFloat,
            "float" => Scalar::Float,
            "double" => Scalar::Double,
            "ptr" if self.eat("addrspace") => Scalar::Pointer(self.within(Cursor::number)?),
            "ptr" => Scalar::Pointer(0),
            word => match word.strip_prefix('i').and_then(|bits| bits.parse().ok()) {
                Some(bits) => Scalar::Int(bits),
                None => return Err(format!("`{word}` is no type")),
            },
        })
    }
}
