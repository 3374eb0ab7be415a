//! Gang versions of functions that are compiled in modules of their own, apart from their callers. Callers know only
//! the name, so a name says all that the version's code depends on, except the machine and the optimisation level.

use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use oxicl_llvm::{Builder, Linkage, Module, Value};
use oxicl_target::Vectors;

use crate::bounds::MOST_LANES;
use crate::emit::copy::Surroundings;
use crate::emit::kernel::{Common, Options};
use crate::emit::versions::Versions;
use crate::failure::{Result, failure};
use crate::ir::call_tree::{Callee, call_tree};
use crate::ir::read;
use crate::plan;
use crate::plan::versions::plan_version;
use crate::prices::Prices;
use crate::recipe::{Argument, VersionId};
use crate::switches::OfFunction;

/// Stands between the function's name and the number of lanes.
const GANG: &str = ".gang";
/// How a version takes its mask: as an integer, with a bit a lane.
const MASK: &str = "bits";

/// The name of a version: the function, the number of lanes, how the mask is passed, and for each argument what lanes
/// have in common, as in `oxicl.image_texel.f32.gang16.bits.same.each.step1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionName {
    function: String,
    lanes: u32,
    arguments: Vec<Argument>,
}

impl VersionName {
    pub(crate) fn new(function: &str, lanes: u32, arguments: &[Argument]) -> Self {
        VersionName { function: function.to_owned(), lanes, arguments: arguments.to_vec() }
    }

    /// Parses a name; `None` if it is not a version's.
    pub fn parse(name: &str) -> Option<Self> {
        let (function, version) = name.rsplit_once(GANG)?;
        let is_gang = |lanes: &u32| lanes.is_power_of_two() && (2..=MOST_LANES).contains(lanes);
        let mut parts = version.split('.');
        let lanes = parts.next()?.parse().ok().filter(is_gang)?;
        parts.next().filter(|mask| *mask == MASK)?;
        let argument = |part: &str| match part {
            "same" => Some(Argument::Same),
            "each" => Some(Argument::Varies),
            _ => part.strip_prefix("step")?.parse().ok().map(Argument::Steps),
        };
        let arguments = parts.map(argument).collect::<Option<_>>()?;
        let read = VersionName { function: function.to_owned(), lanes, arguments };
        // Rejects other spellings of the numbers.
        (read.to_string() == name).then_some(read)
    }

    /// The function that it is a version of.
    pub fn function(&self) -> &str {
        &self.function
    }
}

impl fmt::Display for VersionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{GANG}{}.{MASK}", self.function, self.lanes)?;
        self.arguments.iter().try_for_each(|argument| match argument {
            Argument::Same => f.write_str(".same"),
            Argument::Varies => f.write_str(".each"),
            Argument::Steps(stride) => write!(f, ".step{stride}"),
        })
    }
}

/// Writes a version of a function of this module, for callers in other modules.
pub(crate) fn emit_version<'m>(
    module: &'m Module<'m>,
    value: Value<'m>,
    name: &VersionName,
    vectors: Vectors,
    switches: OfFunction,
    prices: &Rc<Prices>,
) -> Result<()> {
    let mut function = read(value, prices)?;
    function.switches = switches;
    let mut tree = call_tree(&function, plan::yields)?;
    if !tree.needy.is_empty() || !tree.locals.is_empty() {
        return failure(format!("the function {} needs more than its arguments", name.function));
    }
    let b = Builder::new(module.context());
    let around = Surroundings { locals: HashMap::new(), callees: HashMap::new(), in_fibers: false };
    let callee = Callee::Here(tree.functions.len());
    tree.functions.push(function);
    let planned = match plan_version(&tree, callee, name.arguments.clone(), name.lanes, vectors)? {
        Ok(planned) => planned,
        Err(why) => return failure(format!("there can be no {name}: {}", why.words())),
    };
    let versions = Versions::new(&tree, &planned);
    let version = versions.get(module, VersionId(0), name.lanes)?;
    let options = Options { uniform_groups: false, required_size: None };
    versions.emit(&Common { module, b: &b, around: &around, prints: false, options })?;
    version.function.set_name(&name.to_string());
    version.function.set_linkage(Linkage::External);
    value.set_linkage(Linkage::Internal);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_which_version_it_is() {
        let arguments = [Argument::Same, Argument::Varies, Argument::Steps(1), Argument::Steps(-8)];
        let name = VersionName::new("oxicl.image_texel.f32", 16, &arguments);
        let text = "oxicl.image_texel.f32.gang16.bits.same.each.step1.step-8";
        assert_eq!((name.to_string().as_str(), name.function()), (text, "oxicl.image_texel.f32"));
        assert_eq!(VersionName::parse(text), Some(name));
        for wrong in [
            "oxicl.image_texel.f32",
            "oxicl.image_texel.f32.gang1.bits.same",
            "oxicl.image_texel.f32.gang12.bits.same",
            "oxicl.image_texel.f32.gang128.bits.same",
            "oxicl.image_texel.f32.gang016.bits.same",
            "oxicl.image_texel.f32.gang16",
            "oxicl.image_texel.f32.gang16.same",
            "oxicl.image_texel.f32.gang16.bits.some",
            "oxicl.image_texel.f32.gang16.bits.step",
            "oxicl.image_texel.f32.gang16.bits.step+1",
            "oxicl.image_texel.f32.gang16.bits.step01",
        ] {
            assert_eq!(VersionName::parse(wrong), None, "{wrong}");
        }
    }
}
