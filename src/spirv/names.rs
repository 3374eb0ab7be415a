//! Ids as names that people can read, for messages: OpName where it gives one, else what a type or a constant says of
//! itself, else the number.

use std::collections::HashSet;

use crate::disassemble::disassemble_with;
use crate::module::{ConstantKind, Def, Id, Module};
use crate::specialise::half_to_f64;
use crate::types::{Type, TypeRef};

/// The longest name that is kept, in characters.
const LONGEST_NAME: usize = 64;
/// The longest line of text, in characters.
const LONGEST_LINE: usize = 240;
/// How far names of pointer types look into what they point to.
const DEEPEST: u32 = 3;

/// The names of a module's ids.
pub struct Names<'m> {
    module: &'m Module,
    /// Names that more than one id has; these get their number, too.
    shared: HashSet<&'m str>,
}

impl<'m> Names<'m> {
    /// Of a module.
    pub fn of(module: &'m Module) -> Self {
        let mut seen = HashSet::new();
        let shared = module.names.values().map(String::as_str).filter(|name| !seen.insert(*name)).collect();
        Names { module, shared }
    }

    /// The name that the module gives to `id`, if one can be read.
    pub fn given(&self, id: Id) -> Option<String> {
        let name = self.module.names.get(&id).filter(|name| !name.is_empty())?;
        let mut text: String = name
            .chars()
            .take(LONGEST_NAME)
            .map(|c| if c.is_ascii_alphanumeric() || "_.$:".contains(c) { c } else { '_' })
            .collect();
        // A number alone would be taken for an id, and two ids must not look the same.
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            text.insert(0, '_');
        }
        if self.shared.contains(name.as_str()) || name.chars().count() > LONGEST_NAME {
            text.push_str(&format!("_{}", id.number()));
        }
        Some(text)
    }

    /// `id` as an operand: `%sum`, `%uint`, `%uint_5`, `%12`.
    pub fn operand(&self, id: Id) -> String {
        let own = self.given(id).or_else(|| match self.module.def(id) {
            Def::Type(ty) => self.of_type(ty, DEEPEST),
            Def::Constant(_) => self.of_constant(id),
            _ => None,
        });
        own.map_or_else(|| id.to_string(), |name| format!("%{name}"))
    }

    /// The instruction whose first word is at `offset`, on one line.
    pub fn instruction(&self, offset: u32) -> Option<String> {
        let line = disassemble_with(self.module, offset, LONGEST_LINE, &|id| self.operand(id))?;
        if line.chars().count() <= LONGEST_LINE {
            return Some(line);
        }
        let mut short: String = line.chars().take(LONGEST_LINE - 4).collect();
        short.push_str(" ...");
        Some(short)
    }

    /// `text` with the given name behind each id in it: `%12` becomes `%12 (sum)`.
    pub fn explain(&self, text: &str) -> String {
        let mut explained = String::with_capacity(text.len());
        let mut parts = text.split('%');
        explained.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (number, rest) = part.split_at(digits);
            explained.push('%');
            explained.push_str(number);
            let id = number.parse().ok().and_then(std::num::NonZeroU32::new).map(Id);
            if let Some(name) = id.and_then(|id| self.given(id)) {
                explained.push_str(&format!(" ({name})"));
            }
            explained.push_str(rest);
        }
        explained
    }

    /// What a type says of itself, in the words of SPIR-V's disassembler.
    fn of_type(&self, ty: TypeRef, depth: u32) -> Option<String> {
        let part = |part: TypeRef| {
            let below = depth.checked_sub(1)?;
            let id = *self.module.type_ids.get(part.0 as usize)?;
            self.given(id).or_else(|| self.of_type(part, below))
        };
        Some(match self.module.types.get(ty.0 as usize)? {
            Type::Void => "void".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Int { width, signed } => {
                let sign = if *signed { "" } else { "u" };
                match width {
                    8 => format!("{sign}char"),
                    16 => format!("{sign}short"),
                    32 => format!("{sign}int"),
                    64 => format!("{sign}long"),
                    width => format!("{sign}int{width}"),
                }
            }
            Type::Float { width, encoding: None } => match width {
                16 => "half".to_owned(),
                32 => "float".to_owned(),
                64 => "double".to_owned(),
                width => format!("fp{width}"),
            },
            Type::Vector { component, count } => format!("v{count}{}", part(*component)?),
            Type::Pointer { storage, pointee } => format!("_ptr_{storage:?}_{}", part(*pointee)?),
            _ => return None,
        })
    }

    fn of_constant(&self, id: Id) -> Option<String> {
        // What can be specialised has no value yet.
        let constant = self.module.constant(id).filter(|constant| !constant.spec)?;
        let ty = self.module.types.get(constant.ty.0 as usize)?;
        Some(match (&constant.kind, ty) {
            (ConstantKind::Bool(value), _) => value.to_string(),
            (ConstantKind::Scalar(bits), Type::Int { .. }) => format!("{}_{bits}", self.of_type(constant.ty, 1)?),
            (ConstantKind::Scalar(bits), Type::Float { width, encoding: None }) => {
                let value = match width {
                    16 => half_to_f64(*bits as u16),
                    32 => f64::from(f32::from_bits(*bits as u32)),
                    64 => f64::from_bits(*bits),
                    _ => return None,
                };
                format!("{}_{value:?}", self.of_type(constant.ty, 1)?)
            }
            (ConstantKind::Null, _) => format!("null_{}", id.number()),
            _ => return None,
        })
    }
}
