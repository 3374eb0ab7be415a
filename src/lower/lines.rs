//! Where instructions stand in source code: metadata on what they become, for the remarks of later stages.

use std::collections::HashMap;

use oxicl_llvm::{Block, Metadata, Value};
use oxicl_ops::attribute::PLACE_METADATA;
use oxicl_spirv::{Function, SourcePlace, source_places};

use crate::body::Body;
use crate::unit::Unit;

/// The places of a function's instructions, by their word offset.
pub(crate) struct Lines<'a> {
    kind: u32,
    places: HashMap<u32, Metadata<'a>>,
}

/// A block and its last instruction, if it has one.
pub(crate) type Position<'a> = (Block<'a>, Option<Value<'a>>);

impl<'a> Lines<'a> {
    /// `None` if remarks are not wanted or the module has no lines.
    pub(crate) fn of(unit: &Unit<'a>, function: &Function) -> Option<Lines<'a>> {
        if !unit.verbose {
            return None;
        }
        let mut offsets: Vec<u32> = function.blocks.iter().flat_map(|b| &b.instructions).map(|i| i.offset).collect();
        offsets.sort_unstable();
        let context = unit.context;
        let text = |place: SourcePlace| SourcePlace { function: None, ..place }.to_string();
        let node = |place| context.metadata_node(&[context.metadata_string(&text(place))]);
        let places = offsets.iter().zip(source_places(unit.module, &offsets));
        let places: HashMap<_, _> = places.filter_map(|(offset, place)| Some((*offset, node(place?)))).collect();
        (!places.is_empty()).then(|| Lines { kind: context.metadata_kind(PLACE_METADATA), places })
    }

    /// Marks what was written since `before` as being of the instruction at `offset`.
    pub(crate) fn mark(&self, body: &Body<'_, 'a>, before: Position<'a>, offset: u32) {
        let Some(place) = self.places.get(&offset) else { return };
        let (block, last) = before;
        let first = last.map_or_else(|| block.instructions().next(), Value::next_instruction);
        let rest = std::iter::successors(first, |instruction| instruction.next_instruction());
        let now = body.builder.block().filter(|now| *now != block);
        for instruction in rest.chain(now.into_iter().flat_map(Block::instructions)) {
            instruction.set_metadata(body.unit.context, self.kind, *place);
        }
    }
}

/// Where the builder is.
pub(crate) fn position<'a>(body: &Body<'_, 'a>) -> Option<Position<'a>> {
    body.builder.block().map(|block| (block, block.last_instruction()))
}
