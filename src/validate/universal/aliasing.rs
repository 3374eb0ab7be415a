//! Declarations of SPV_INTEL_memory_access_aliasing: domains, scopes of them, and lists of scopes.

use oxicl_spirv::grammar::{Decoration as Kind, Op};
use oxicl_spirv::{Alias, AliasKind, Decoration, Def, Id};

use crate::at::Subject;
use crate::rule::Rule;
use crate::violation::{Check, Location, Report, fault};

/// Checks all declarations.
pub(crate) fn check(subject: Subject<'_>, report: &mut Report) {
    for alias in &subject.module.aliases {
        let op = match alias.kind {
            AliasKind::Domain => Op::AliasDomainDeclINTEL,
            AliasKind::Scope(_) => Op::AliasScopeDeclINTEL,
            AliasKind::List(_) => Op::AliasScopeListDeclINTEL,
        };
        let location = Location { op: Some(op), result: Some(alias.id), offset: alias.offset };
        report.check(location, declaration(subject, alias));
    }
}

fn declaration(subject: Subject<'_>, alias: &Alias) -> Check {
    // The last operand of domains and scopes, if it is there, is their name.
    let name = match &alias.kind {
        AliasKind::Domain => 2,
        AliasKind::Scope(_) => 3,
        AliasKind::List(_) => usize::MAX,
    };
    let words = subject.module.words.get(alias.offset as usize..).unwrap_or_default();
    let length = words.first().map_or(0, |first| (first >> 16) as usize);
    let name = words.get(..length).and_then(|words| words.get(name)).copied().and_then(std::num::NonZeroU32::new);
    match name.map(|name| (Id(name), subject.module.def(Id(name)))) {
        None | Some((_, Def::String)) => {}
        Some((name, Def::None)) => {
            return fault(Rule::IdDefined, format!("{name} is used and not defined"));
        }
        Some((name, _)) => return fault(Rule::IdKind, format!("{name} is no string")),
    }
    match &alias.kind {
        AliasKind::Domain => Ok(()),
        AliasKind::Scope(domain) => {
            names(subject, alias, *domain, |kind| matches!(kind, AliasKind::Domain), "an alias domain")
        }
        AliasKind::List(scopes) => scopes.iter().try_for_each(|scope| {
            names(subject, alias, *scope, |kind| matches!(kind, AliasKind::Scope(_)), "an alias scope")
        }),
    }
}

/// `alias` is made of `part`, which is declared before it.
fn names(subject: Subject<'_>, alias: &Alias, part: Id, is: fn(&AliasKind) -> bool, what: &str) -> Check {
    match subject.module.alias(part) {
        Some(found) if !is(&found.kind) => fault(Rule::IdKind, format!("{part} is not {what}")),
        Some(found) if found.offset > alias.offset => {
            fault(Rule::IdOrder, format!("{part} is declared after what names it"))
        }
        Some(_) => Ok(()),
        None if subject.module.def(part) == Def::None => {
            fault(Rule::IdDefined, format!("{part} is used and not defined"))
        }
        None => fault(Rule::IdKind, format!("{part} is not {what}")),
    }
}

/// The decorations AliasScopeINTEL and NoAliasINTEL stand on what accesses memory, and name a list.
pub(crate) fn decoration(subject: Subject<'_>, target: Id, decoration: &Decoration) -> Check {
    let accesses = subject.module.instruction(target).is_some();
    if !accesses {
        return fault(Rule::DecorationTarget, format!("{:?} does not belong on {target}", decoration.decoration));
    }
    let list = decoration.operands.first().copied().and_then(std::num::NonZeroU32::new).map(Id);
    let is_list = |id: Id| subject.module.alias(id).is_some_and(|alias| matches!(alias.kind, AliasKind::List(_)));
    match list {
        Some(list) if is_list(list) => Ok(()),
        Some(list) => fault(Rule::IdKind, format!("{list} is no list of alias scopes")),
        None => fault(Rule::DecorationTarget, format!("{:?} names no list of alias scopes", decoration.decoration)),
    }
}

/// A decoration of this extension.
pub(crate) fn is_aliasing(kind: Kind) -> bool {
    matches!(kind, Kind::AliasScopeINTEL | Kind::NoAliasINTEL)
}
