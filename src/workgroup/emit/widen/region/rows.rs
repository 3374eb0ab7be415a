//! Unroll and jam: several rows go through a region together, and each has its own values.

use std::collections::HashMap;

use oxicl_llvm::{Block as LlvmBlock, IntPredicate, Value};

use super::{Active, Row, RowState, Widener};
use crate::emit::copy::Mapped;
use crate::emit::places::Places;
use crate::failure::{Result, failure};
use crate::ir::{InstId, Operand};

impl<'e, 'm> Widener<'_, 'e, 'm> {
    /// Adds a row, whose first work-item is at `places`. Rows that do not agree on a branch go to `apart`, if given.
    pub(crate) fn add_row(&mut self, places: Places<'m>, apart: Option<LlvmBlock<'m>>) {
        self.apart = apart;
        self.rows.push(Row { places, values: self.scalar.values.clone(), state: self.state.clone() });
    }

    /// Sets the values of conditions in each of the rows behind the first.
    pub(crate) fn agree(&mut self, of_rows: &[HashMap<InstId, Value<'m>>]) {
        for (row, values) in self.rows.iter_mut().zip(of_rows) {
            row.values.extend(values.iter().map(|(id, value)| (*id, Mapped::Value(*value))));
        }
    }

    /// How many masks of a node are kept in places.
    pub(crate) fn mask_count(&self) -> usize {
        if self.own_masks { self.rows.len() + 1 } else { 1 }
    }

    /// Of the rows' masks the current row's, else the last: the one that rows share, or their union.
    pub(crate) fn of_this_row<T: Copy>(&self, masks: &[T]) -> Option<T> {
        self.row.and_then(|row| masks.get(row)).or(masks.last()).copied()
    }

    /// Exchanges the current row with another.
    pub(crate) fn swap(&mut self, row: usize) {
        let row = &mut self.rows[row];
        std::mem::swap(&mut self.scalar.places, &mut row.places);
        std::mem::swap(&mut self.scalar.values, &mut row.values);
        std::mem::swap(&mut self.state, &mut row.state);
    }

    /// Writes code for each row.
    pub(crate) fn each_row(&mut self, mut write: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.row = Some(0);
        let mut result = write(self);
        for row in 0..self.rows.len() {
            if result.is_ok() {
                self.row = Some(row + 1);
                self.swap(row);
                result = write(self);
                self.swap(row);
            }
        }
        self.row = None;
        result
    }

    /// Goes on if rows agree on a condition that may differ between them, as far as the mask sees it, else to `apart`.
    pub(crate) fn ask_rows(&mut self, condition: Operand, mask: Active<'m>) -> Result<()> {
        let Operand::Inst(id) = condition else { return Ok(()) };
        let Some(apart) = self.apart.filter(|_| self.e.plan.of_row[id.index()]) else { return Ok(()) };
        let b = self.b;
        let shared = self.shape(condition).is_row_uniform();
        let mut found = Vec::new();
        self.each_row(|w| {
            found.push(if shared { w.first(condition)? } else { w.component(condition)? });
            Ok(())
        })?;
        let [first, others @ ..] = &found[..] else { return failure("no row") };
        let differ = others.iter().map(|other| b.icmp(IntPredicate::Ne, *first, *other)).reduce(|l, r| b.or(l, r));
        let Some(differ) = differ else { return Ok(()) };
        let differ = if shared { differ } else { self.any(self.narrow(mask, differ)) };
        let agreed = self.e.block("rows.agree");
        b.cond_br(differ, apart, agreed);
        b.position_at_end(agreed);
        Ok(())
    }

    /// Writes an instruction for each row if its result may differ between rows, else once for all.
    pub(crate) fn for_rows(&mut self, id: InstId, mut write: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        if self.rows.is_empty() || self.e.plan.of_row[id.index()] {
            return self.each_row(write);
        }
        write(self)?;
        for row in &mut self.rows {
            share(&self.scalar.values, &mut row.values, id);
            self.state.share(&mut row.state, id);
        }
        Ok(())
    }
}

impl RowState<'_> {
    /// Copies what this row has of an instruction to another row.
    fn share(&self, other: &mut Self, id: InstId) {
        let RowState { wraps, wide, aos, variables, waiting } = self;
        share(wraps, &mut other.wraps, id);
        share(wide, &mut other.wide, id);
        share(aos, &mut other.aos, id);
        share(variables, &mut other.variables, id);
        share(waiting, &mut other.waiting, id);
    }
}

fn share<T: Clone>(from: &HashMap<InstId, T>, to: &mut HashMap<InstId, T>, id: InstId) {
    if let Some(value) = from.get(&id) {
        to.insert(id, value.clone());
    }
}
