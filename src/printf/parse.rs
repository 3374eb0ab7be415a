//! Format strings taken apart.

use crate::Bad;

/// A conversion specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Specification {
    /// Where its `%` stands.
    pub(crate) at: usize,
    pub(crate) left: bool,
    pub(crate) plus: bool,
    pub(crate) space: bool,
    pub(crate) alternative: bool,
    pub(crate) zero: bool,
    pub(crate) width: usize,
    pub(crate) precision: Option<usize>,
    /// Number of components, if there is a vector specifier.
    pub(crate) vector: Option<u32>,
    pub(crate) length: Length,
    pub(crate) conversion: Conversion,
}

/// A length modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    None,
    /// `hh`
    Char,
    /// `h`
    Short,
    /// `hl`
    Int,
    /// `l`; `ll`, `z` and `t` mean the same width.
    Long,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntegerForm {
    Signed,
    Octal,
    Unsigned,
    Hexadecimal { upper: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatStyle {
    Fixed,
    Exponent,
    General,
    Hexadecimal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FloatForm {
    pub(crate) style: FloatStyle,
    pub(crate) upper: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conversion {
    Integer(IntegerForm),
    Float(FloatForm),
    Character,
    String,
    Pointer,
}

/// A part of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    Plain(&'a [u8]),
    Percent,
    Conversion(Specification),
}

/// The parts of a format, up to the first that is wrong.
pub(crate) fn pieces(format: &[u8]) -> impl Iterator<Item = Result<Piece<'_>, Bad>> {
    let end = format.iter().position(|byte| *byte == 0).unwrap_or(format.len());
    let mut cursor = Cursor { format: &format[..end], at: 0 };
    std::iter::from_fn(move || cursor.piece())
}

struct Cursor<'a> {
    format: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn piece(&mut self) -> Option<Result<Piece<'a>, Bad>> {
        let rest = self.format.get(self.at..).filter(|rest| !rest.is_empty())?;
        let plain = rest.iter().position(|byte| *byte == b'%').unwrap_or(rest.len());
        if plain > 0 {
            self.at += plain;
            return Some(Ok(Piece::Plain(&rest[..plain])));
        }
        if rest.starts_with(b"%%") {
            self.at += 2;
            return Some(Ok(Piece::Percent));
        }
        let start = self.at;
        self.at += 1;
        let specification = self.specification(start);
        if specification.is_none() {
            self.at = self.format.len();
        }
        Some(specification.map(Piece::Conversion).ok_or(Bad::Specification(start)))
    }

    fn peek(&self) -> Option<u8> {
        self.format.get(self.at).copied()
    }

    fn take(&mut self, text: &[u8]) -> bool {
        let found = self.format.get(self.at..).is_some_and(|rest| rest.starts_with(text));
        self.at += if found { text.len() } else { 0 };
        found
    }

    /// A decimal number; what does not fit is larger than any limit. 0 if there are no digits.
    fn number(&mut self) -> usize {
        let mut number = 0usize;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            number = number.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
            self.at += 1;
        }
        number
    }

    fn specification(&mut self, start: usize) -> Option<Specification> {
        let mut s = Specification {
            at: start,
            left: false,
            plus: false,
            space: false,
            alternative: false,
            zero: false,
            width: 0,
            precision: None,
            vector: None,
            length: Length::None,
            conversion: Conversion::Pointer,
        };
        while let Some(flag) = self.peek() {
            match flag {
                b'-' => s.left = true,
                b'+' => s.plus = true,
                b' ' => s.space = true,
                b'#' => s.alternative = true,
                b'0' => s.zero = true,
                _ => break,
            }
            self.at += 1;
        }
        s.width = self.number();
        if self.take(b".") {
            s.precision = Some(self.number());
        }
        if self.take(b"v") {
            s.vector = Some(u32::try_from(self.number()).ok().filter(|n| matches!(n, 2 | 3 | 4 | 8 | 16))?);
        }
        s.length = self.length();
        s.conversion = conversion(self.peek()?)?;
        self.at += 1;
        is_valid(&s).then_some(s)
    }

    fn length(&mut self) -> Length {
        let table: [(&[u8], Length); 7] = [
            (b"hh", Length::Char),
            (b"hl", Length::Int),
            (b"h", Length::Short),
            (b"ll", Length::Long),
            (b"l", Length::Long),
            (b"z", Length::Long),
            (b"t", Length::Long),
        ];
        table.into_iter().find_map(|(text, length)| self.take(text).then_some(length)).unwrap_or(Length::None)
    }
}

fn conversion(letter: u8) -> Option<Conversion> {
    let float = |style, upper| Conversion::Float(FloatForm { style, upper });
    Some(match letter {
        b'd' | b'i' => Conversion::Integer(IntegerForm::Signed),
        b'o' => Conversion::Integer(IntegerForm::Octal),
        b'u' => Conversion::Integer(IntegerForm::Unsigned),
        b'x' => Conversion::Integer(IntegerForm::Hexadecimal { upper: false }),
        b'X' => Conversion::Integer(IntegerForm::Hexadecimal { upper: true }),
        b'f' | b'F' => float(FloatStyle::Fixed, letter == b'F'),
        b'e' | b'E' => float(FloatStyle::Exponent, letter == b'E'),
        b'g' | b'G' => float(FloatStyle::General, letter == b'G'),
        b'a' | b'A' => float(FloatStyle::Hexadecimal, letter == b'A'),
        b'c' => Conversion::Character,
        b's' => Conversion::String,
        b'p' => Conversion::Pointer,
        _ => return None,
    })
}

/// Do the parts go together? What a flag does not apply to ignores it, as C libraries do.
fn is_valid(s: &Specification) -> bool {
    let plain = s.vector.is_none() && s.length == Length::None;
    match s.conversion {
        // Scalars have no `hl`, vectors always a length.
        Conversion::Integer(_) => (s.length == Length::Int) <= s.vector.is_some() && has_length(s),
        // `l` with a scalar says nothing in C; other lengths belong to vectors.
        Conversion::Float(_) => match s.length {
            Length::None | Length::Long => has_length(s),
            Length::Char => false,
            Length::Short | Length::Int => s.vector.is_some(),
        },
        Conversion::Character | Conversion::Pointer => plain && s.precision.is_none(),
        Conversion::String => plain,
    }
}

fn has_length(s: &Specification) -> bool {
    s.vector.is_none() || s.length != Length::None
}
