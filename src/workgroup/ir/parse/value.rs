//! Reads operands and constants.

use std::rc::Rc;

use crate::ir::constant::{ConstantKind, Expression, Global};
use crate::ir::instruction::Operand;
use crate::ir::names::opcode_of;
use crate::ir::parse::Parser;
use crate::ir::parse::cursor::{Cursor, Wrong};
use crate::ir::types::{Scalar, Type};

/// A value and its type.
pub(super) struct Typed {
    pub(super) operand: Operand,
    pub(super) ty: Type,
}

impl Parser {
    /// A value with its type in front.
    pub(super) fn typed(&mut self, cursor: &mut Cursor<'_>) -> Wrong<Operand> {
        self.with_type(cursor).map(|typed| typed.operand)
    }

    /// The same, as a [`Typed`] that keeps the type.
    pub(super) fn with_type(&mut self, cursor: &mut Cursor<'_>) -> Wrong<Typed> {
        let ty = cursor.ty()?;
        Ok(Typed { operand: self.value(cursor, &ty)?, ty })
    }

    /// A value of a type.
    pub(super) fn value(&mut self, cursor: &mut Cursor<'_>, ty: &Type) -> Wrong<Operand> {
        if cursor.eat("%") {
            let name = cursor.name()?;
            return self.values.get(&name).copied().ok_or(format!("there is no %{name}"));
        }
        if cursor.eat("opaque") {
            return Ok(Operand::Opaque);
        }
        let kind = self.constant_kind(cursor, ty)?;
        Ok(Operand::Constant(self.constant(ty.clone(), kind)))
    }

    fn constant_kind(&mut self, cursor: &mut Cursor<'_>, ty: &Type) -> Wrong<ConstantKind> {
        if cursor.eat("@") {
            return Ok(self.named(cursor.name()?));
        }
        let is_vector = ty.is_vector();
        let end = match ty {
            Type::Vector(..) if cursor.eat("<") => Some(">"),
            Type::Array(..) if cursor.eat("[") => Some("]"),
            Type::Struct(_) if cursor.eat("{") => Some("}"),
            _ => None,
        };
        if let Some(end) = end {
            return Ok(ConstantKind::Aggregate(cursor.list(end, |cursor| self.typed_constant(cursor))?));
        }
        match cursor.word()? {
            "true" => Ok(ConstantKind::Int(1)),
            "false" => Ok(ConstantKind::Int(0)),
            "null" | "zeroinitializer" => Ok(ConstantKind::Zero),
            "undef" => Ok(ConstantKind::Undef),
            "poison" => Ok(ConstantKind::Poison),
            "splat" if is_vector => {
                let element = cursor.within(|cursor| self.typed_constant(cursor))?;
                Ok(ConstantKind::Aggregate(vec![element; ty.length() as usize]))
            }
            "unknown" => Ok(ConstantKind::Unknown(cursor.within(Cursor::number)?)),
            word => match (opcode_of(word), ty.single()) {
                (Some(opcode), _) => {
                    cursor.expect("(")?;
                    let mut source = None;
                    if word == "getelementptr" {
                        source = Some(cursor.ty()?);
                        cursor.expect(",")?;
                    }
                    let operands = cursor.list(")", |cursor| self.typed_constant(cursor))?;
                    Ok(ConstantKind::Expression(Expression { opcode, source, operands }))
                }
                (None, Some(scalar)) => number(word, scalar).ok_or(format!("`{word}` is no {ty}")),
                (None, None) => Err(format!("`{word}` is no constant")),
            },
        }
    }

    fn typed_constant(&mut self, cursor: &mut Cursor<'_>) -> Wrong<crate::ir::ConstantId> {
        match self.typed(cursor)? {
            Operand::Constant(id) => Ok(id),
            _ => Err("a part of a constant is none".to_owned()),
        }
    }

    /// A global by its name.
    pub(super) fn named(&self, name: String) -> ConstantKind {
        let content = self.contents.get(&name).cloned();
        ConstantKind::Global(Rc::new(Global { name, content }))
    }
}

/// A number as a constant of a type.
fn number(word: &str, ty: Scalar) -> Option<ConstantKind> {
    let hexadecimal = |digits: &str| u64::from_str_radix(digits, 16).ok();
    if let Scalar::Int(bits) = ty {
        let value = word.parse::<i128>().map(|value| value as u128).or_else(|_| word.parse()).ok()?;
        let above = 128 - bits.min(128);
        return Some(ConstantKind::Int(if above == 128 { 0 } else { value << above >> above }));
    }
    if let Some(digits) = word.strip_prefix("0xH").or(word.strip_prefix("0xR")) {
        return hexadecimal(digits).map(ConstantKind::Float);
    }
    let wide = match word.strip_prefix("0x") {
        Some(digits) => hexadecimal(digits)?,
        None => word.parse::<f64>().ok()?.to_bits(),
    };
    let value = f64::from_bits(wide);
    Some(ConstantKind::Float(match ty {
        Scalar::Float if value.is_nan() => (wide >> 63) << 31 | 0xff << 23 | (wide >> 29 & 0x7f_ffff),
        Scalar::Float => u64::from((value as f32).to_bits()),
        Scalar::Double => wide,
        _ => return None,
    }))
}
