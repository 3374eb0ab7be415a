//! `docs/cycles.md`: the committed table of cycles, and what got slower with its reasons.

use std::collections::BTreeMap;

use crate::process::Outcome;

/// What more cycles are a loss that needs a reason: LLVM's models are no better than that.
const TOLERANCE: f64 = 1.10;

/// Cycles of a kernel on a machine, by both names.
pub type Cycles = BTreeMap<(String, String), f64>;

/// A kernel that has more cycles on a machine than it had.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slower {
    pub kernel: String,
    pub machine: String,
    pub before: f64,
    pub now: f64,
    pub reason: String,
    /// What a run took before and takes now.
    pub measured: String,
}

/// The page's tables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub cycles: Cycles,
    pub slower: Vec<Slower>,
}

const TITLE: &str = "# Cycles on paper

What LLVM's scheduling models say of the inner loops of `benches/kernels`, in cycles for each work-item and iteration:
`llvm-mca` goes through the instructions of the loop that most of a kernel's time is spent in, as if all data were in the
nearest cache, every branch known and every block run. Streaming stores are left out, as a launch runs either those or ordinary ones.
`cargo xtask mca --write` writes this page, `cargo xtask mca` compares with it.
";

const SLOWER: &str = "
## What got slower

What has more than 10% more cycles than before, why that was accepted, and what a run on such a machine took before and now.
A row goes when the cycles are back.

| Kernel | Machine | Before | Now | Reason | Measured |
|---|---|---|---|---|---|
";

impl Table {
    /// Reads a page.
    ///
    /// # Errors
    /// A line of a table that is none of those that [`Table::to_text`] writes.
    pub fn parse(text: &str) -> Outcome<Table> {
        let mut table = Table::default();
        let mut machines: Vec<String> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let Some(row) = line.strip_prefix("| ").and_then(|line| line.strip_suffix('|')) else { continue };
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let wrong = || format!("docs/cycles.md:{number}: no row: {line}");
            let cycles = |cell: &str| cell.parse::<f64>().map_err(|_| wrong());
            match cells[..] {
                ["Kernel", "Machine", ..] => machines.clear(),
                ["Kernel", ..] => machines = cells[1..].iter().map(|cell| (*cell).to_owned()).collect(),
                [kernel, machine, before, now, reason, measured] if machines.is_empty() => table.slower.push(Slower {
                    kernel: kernel.to_owned(),
                    machine: machine.to_owned(),
                    before: cycles(before)?,
                    now: cycles(now)?,
                    reason: reason.to_owned(),
                    measured: measured.to_owned(),
                }),
                [kernel, ref numbers @ ..] if numbers.len() == machines.len() => {
                    for (machine, cell) in machines.iter().zip(numbers).filter(|(_, cell)| !cell.is_empty()) {
                        table.cycles.insert((kernel.to_owned(), machine.clone()), cycles(cell)?);
                    }
                }
                _ => return Err(wrong()),
            }
        }
        Ok(table)
    }

    /// The page, with a column for each machine. `says` is what has to be said of the machines.
    pub fn to_text(&self, machines: &[&str], says: &str) -> String {
        let mut text =
            format!("{TITLE}{says}\n| Kernel | {} |\n|---|{}\n", machines.join(" | "), "---|".repeat(machines.len()));
        let mut kernels: Vec<&String> = self.cycles.keys().map(|(kernel, _)| kernel).collect();
        kernels.dedup();
        for kernel in kernels {
            let cell = |machine: &&str| {
                let cycles = self.cycles.get(&(kernel.clone(), (*machine).to_owned()));
                cycles.map_or_else(String::new, |cycles| shown(*cycles))
            };
            let cells: Vec<String> = machines.iter().map(cell).collect();
            text += &format!("| {kernel} | {} |\n", cells.join(" | "));
        }
        text += SLOWER;
        for Slower { kernel, machine, before, now, reason, measured } in &self.slower {
            let (before, now) = (shown(*before), shown(*now));
            text += &format!("| {kernel} | {machine} | {before} | {now} | {reason} | {measured} |\n");
        }
        text
    }

    /// What a new table says beside this one: rows of what got slower keep what they were before, and their reasons.
    pub fn with(&self, cycles: Cycles) -> Table {
        let mut slower = Vec::new();
        for ((kernel, machine), now) in &cycles {
            let known = self.slower.iter().find(|row| row.kernel == *kernel && row.machine == *machine);
            let old = self.cycles.get(&(kernel.clone(), machine.clone())).copied();
            let Some(before) = known.map(|row| row.before).or(old) else { continue };
            if !is_slower(before, *now) {
                continue;
            }
            // What got slower again needs a new reason.
            let known = known.filter(|row| !is_slower(row.now, *now)).cloned().unwrap_or_default();
            let (kernel, machine) = (kernel.clone(), machine.clone());
            slower.push(Slower { kernel, machine, before, now: *now, ..known });
        }
        Table { cycles, slower }
    }

    /// A sentence for each kernel that has more cycles than the table says, or is not in it, or is in it alone.
    pub fn differences(&self, new: &Cycles) -> Vec<String> {
        let mut found = Vec::new();
        for ((kernel, machine), now) in new {
            match self.cycles.get(&(kernel.clone(), machine.clone())) {
                None => found.push(format!("{kernel} on {machine}: {} cycles, and no row", shown(*now))),
                Some(old) if is_slower(*old, *now) => found.push(format!(
                    "{kernel} on {machine}: {} cycles, {} before: {:+.0}%",
                    shown(*now),
                    shown(*old),
                    (now / old - 1.0) * 100.0
                )),
                Some(_) => {}
            }
        }
        let gone = self.cycles.keys().filter(|row| !new.contains_key(*row));
        found.extend(gone.map(|(kernel, machine)| format!("{kernel} on {machine}: a row, but no cycles any more")));
        found
    }

    /// A sentence for each row without a reason or a measurement.
    pub fn unexplained(&self) -> Vec<String> {
        let empty = self.slower.iter().filter(|row| row.reason.is_empty() || row.measured.is_empty());
        let sentence = |row: &Slower| {
            let lacks = if row.reason.is_empty() { "reason" } else { "measured time" };
            format!("docs/cycles.md: {} got slower on {}, and the row has no {lacks}", row.kernel, row.machine)
        };
        empty.map(sentence).collect()
    }
}

fn is_slower(before: f64, now: f64) -> bool {
    now > before * TOLERANCE
}

/// Three digits, or all in front of the point.
fn shown(cycles: f64) -> String {
    match cycles {
        _ if cycles >= 100.0 => format!("{cycles:.0}"),
        _ if cycles >= 10.0 => format!("{cycles:.1}"),
        _ if cycles >= 1.0 => format!("{cycles:.2}"),
        _ => format!("{cycles:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Cycles, Table};

    fn cycles(rows: &[(&str, &str, f64)]) -> Cycles {
        rows.iter().map(|(kernel, machine, cycles)| (((*kernel).into(), (*machine).into()), *cycles)).collect()
    }

    fn table() -> Table {
        Table { cycles: cycles(&[("fft", "a", 12.5), ("fft", "b", 0.125), ("sum", "b", 120.0)]), slower: Vec::new() }
    }

    #[test]
    fn a_page_says_what_was_written() {
        let mut table = table().with(cycles(&[("fft", "a", 15.0), ("fft", "b", 0.125), ("sum", "b", 120.0)]));
        (table.slower[0].reason, table.slower[0].measured) = ("it is right now".into(), "3 ms, 3 ms".into());
        let text = table.to_text(&["a", "b"], "Says.\n");
        assert_eq!(Table::parse(&text), Ok(table), "{text}");
        assert!(Table::parse("| Kernel | a |\n| fft | 1 | 2 |").is_err());
        assert!(Table::parse("| Kernel | a |\n| fft | few |").is_err());
    }

    #[test]
    fn a_tenth_more_is_told_and_less_is_not() {
        let new = cycles(&[("fft", "a", 13.9), ("fft", "b", 0.13), ("new", "a", 1.0)]);
        let told = table().differences(&new);
        let expected = [
            "fft on a: 13.9 cycles, 12.5 before: +11%",
            "new on a: 1.00 cycles, and no row",
            "sum on b: a row, but no cycles any more",
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn what_got_slower_needs_a_reason_and_a_measurement() {
        let slow = cycles(&[("fft", "a", 15.0), ("fft", "b", 0.125), ("sum", "b", 100.0)]);
        let mut table = table().with(slow.clone());
        assert_eq!(table.unexplained(), ["docs/cycles.md: fft got slower on a, and the row has no reason"]);
        table.slower[0].reason = "it is right now".into();
        assert_eq!(table.unexplained(), ["docs/cycles.md: fft got slower on a, and the row has no measured time"]);
        table.slower[0].measured = "3 ms, 3 ms".into();
        assert!(table.unexplained().is_empty());
        // It is kept until the cycles are back, and is empty again if more is lost.
        assert_eq!(table.with(slow.clone()).slower, table.slower);
        assert_eq!(table.with(cycles(&[("fft", "a", 20.0)])).slower[0].before, 12.5);
        assert_eq!(table.with(cycles(&[("fft", "a", 20.0)])).unexplained().len(), 1);
        assert!(table.with(cycles(&[("fft", "a", 13.0)])).slower.is_empty());
    }
}
