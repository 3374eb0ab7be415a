//! Loops of a function of assembly, and the one that most of its time is spent in.

use std::collections::{BTreeSet, HashMap};

/// What a loop that is inside another weighs more: a guess at how often it goes round, as compilers take it.
const INNER: f64 = 8.0;
/// What a loop with masked accesses weighs less: the end of a row has the same code as a whole gang, under a mask.
const MASKED: f64 = 0.25;

/// Straight-line code: instructions up to one that may go elsewhere.
#[derive(Debug, Default)]
struct Block<'a> {
    labels: Vec<&'a str>,
    instructions: Vec<&'a str>,
    successors: Vec<usize>,
}

/// A loop without those inside it.
#[derive(Debug, PartialEq, Eq)]
pub struct Loop<'a> {
    /// How many loops it is in, itself counted.
    pub depth: u32,
    pub blocks: usize,
    /// Its instructions in the order of the code, without those of loops inside it.
    pub instructions: Vec<&'a str>,
    /// What the counters of the loops that it is in advance by, its own first.
    pub steps: Vec<BTreeSet<u32>>,
}

impl Loop<'_> {
    /// The work-items that one iteration is for, in a kernel that has up to so many lanes: a gang's loop counts by its lanes,
    /// and that of several rows by these.
    pub fn items(&self, fewest: u32, most: u32, rows: u32) -> u32 {
        let lanes = |steps: &BTreeSet<u32>| {
            steps.iter().copied().find(|step| (fewest..=most).contains(step) && step.is_power_of_two())
        };
        let gang = self.steps.iter().position(|steps| lanes(steps).is_some());
        let Some(gang) = gang.filter(|_| most > 1) else { return most };
        let counts_rows = rows > 1 && self.steps[gang + 1..].iter().any(|steps| steps.contains(&rows));
        lanes(&self.steps[gang]).unwrap_or(most) * if counts_rows { rows } else { 1 }
    }

    /// How much time is spent in it, compared with the others of its function: long runs of instructions in many loops. Code
    /// that goes lane by lane has short ones.
    fn weight(&self) -> f64 {
        let masked = self.instructions.iter().any(|instruction| is_masked_access(instruction));
        let run = self.instructions.len() as f64 / self.blocks as f64;
        run * INNER.powi(self.depth as i32) * if masked { MASKED } else { 1.0 }
    }
}

/// The heaviest loop of a function, if it has any.
pub fn heaviest<'a>(assembly: &'a str, function: &str) -> Option<Loop<'a>> {
    let loops = loops(&blocks(body(assembly, function)?));
    // The first of equals: whole gangs come before the rest of a row.
    loops.into_iter().rev().max_by(|a, b| a.weight().total_cmp(&b.weight()))
}

/// The lines of a function, from its label to its end.
fn body<'a>(assembly: &'a str, function: &str) -> Option<&'a str> {
    let label = format!("\n{function}:\n");
    let from = assembly.find(&label)? + label.len();
    let rest = &assembly[from..];
    Some(&rest[..rest.find("\n.Lfunc_end").unwrap_or(rest.len())])
}

fn blocks(body: &str) -> Vec<Block<'_>> {
    let mut blocks = vec![Block::default()];
    let mut ends = false;
    for line in body.lines().map(without_comment) {
        if let Some(label) = line.strip_suffix(':') {
            match blocks.last_mut().filter(|block| block.instructions.is_empty()) {
                Some(block) => block.labels.push(label),
                None => blocks.push(Block { labels: vec![label], ..Block::default() }),
            }
            ends = false;
            continue;
        }
        if line.is_empty() || line.starts_with('.') {
            continue;
        }
        if std::mem::take(&mut ends) {
            blocks.push(Block::default());
        }
        if let Some(block) = blocks.last_mut() {
            block.instructions.push(line);
        }
        ends = !matches!(flow(line), Flow::On);
    }
    link(&mut blocks);
    blocks
}

/// A line without its comment. What `#` stands in front of without a space is a number of AArch64's.
fn without_comment(line: &str) -> &str {
    ["# ", "//"].into_iter().fold(line, |line, start| line.split(start).next().unwrap_or_default()).trim()
}

/// Where an instruction goes.
enum Flow<'a> {
    On,
    To(&'a str),
    OnOrTo(&'a str),
    Away,
}

fn flow(instruction: &str) -> Flow<'_> {
    let mut words = instruction.split_whitespace();
    let name = words.next().unwrap_or_default();
    let target = words.next_back().unwrap_or_default();
    let is_label = target.starts_with(".L");
    match name {
        "jmp" | "b" if is_label => Flow::To(target),
        "jmp" | "b" | "br" | "ud2" | "brk" => Flow::Away,
        _ if name.starts_with("ret") => Flow::Away,
        "cbz" | "cbnz" | "tbz" | "tbnz" => Flow::OnOrTo(target),
        _ if is_label && (name.starts_with('j') || name.starts_with("b.")) => Flow::OnOrTo(target),
        _ => Flow::On,
    }
}

fn link(blocks: &mut [Block<'_>]) {
    let labelled: HashMap<&str, usize> =
        blocks.iter().enumerate().flat_map(|(at, block)| block.labels.iter().map(move |label| (*label, at))).collect();
    let count = blocks.len();
    for (at, block) in blocks.iter_mut().enumerate() {
        let flow = block.instructions.last().map_or(Flow::On, |last| flow(last));
        let next = Some(at + 1).filter(|next| *next < count);
        let at_label = |label: &str| labelled.get(label).copied();
        block.successors = match flow {
            Flow::On => next.into_iter().collect(),
            Flow::To(label) => at_label(label).into_iter().collect(),
            Flow::OnOrTo(label) => next.into_iter().chain(at_label(label)).collect(),
            Flow::Away => Vec::new(),
        };
    }
}

/// Natural loops: what leads to an edge back to a block that all ways to the edge go through.
fn loops<'a>(blocks: &[Block<'a>]) -> Vec<Loop<'a>> {
    let dominators = dominators(blocks);
    let mut members: HashMap<usize, BTreeSet<usize>> = HashMap::new();
    for (from, block) in blocks.iter().enumerate() {
        for header in block.successors.iter().filter(|header| dominators[from].contains(header)) {
            let inside = members.entry(*header).or_insert_with(|| BTreeSet::from([*header]));
            let mut open = vec![from];
            while let Some(at) = open.pop() {
                if inside.insert(at) {
                    open.extend((0..blocks.len()).filter(|other| blocks[*other].successors.contains(&at)));
                }
            }
        }
    }
    let mut headers: Vec<usize> = members.keys().copied().collect();
    headers.sort_unstable();
    let own = |header: &usize| -> Vec<usize> {
        let inside = &members[header];
        let is_inner = |other: &&usize| *other != header && inside.contains(other);
        let inner: BTreeSet<usize> =
            headers.iter().filter(is_inner).flat_map(|other| &members[other]).copied().collect();
        inside.difference(&inner).copied().collect()
    };
    let code = |header: &usize| -> Vec<&'a str> {
        own(header).iter().flat_map(|at| &blocks[*at].instructions).copied().collect()
    };
    let one = |header: &usize| {
        let mut around: Vec<&usize> = headers.iter().filter(|other| members[other].contains(header)).collect();
        around.sort_by_key(|other| members[other].len());
        Loop {
            depth: around.len() as u32,
            blocks: own(header).len(),
            instructions: code(header),
            steps: around.into_iter().map(|other| steps(&code(other))).collect(),
        }
    };
    headers.iter().map(one).collect()
}

/// What is added to registers that are compared.
fn steps(code: &[&str]) -> BTreeSet<u32> {
    let operands = |instruction: &&'_ str| -> Vec<String> {
        let text = instruction.split_once('\t').map_or("", |(_, operands)| operands);
        text.split(", ").map(str::to_owned).collect()
    };
    let compared: BTreeSet<String> = code.iter().filter(|i| i.starts_with("cmp")).flat_map(operands).collect();
    let added = |instruction: &&'_ str| {
        let operands = operands(instruction);
        let sign = match instruction {
            _ if instruction.starts_with("add") => 1,
            _ if instruction.starts_with("sub") => -1,
            _ => return None,
        };
        let number = operands.iter().find_map(|operand| operand.strip_prefix(['$', '#'])?.parse::<i64>().ok())?;
        let is_compared = operands.iter().any(|operand| compared.contains(operand));
        u32::try_from(sign * number).ok().filter(|_| is_compared)
    };
    code.iter().filter_map(added).collect()
}

/// For each block, those that all ways from the entry to it go through; of what no way leads to, all.
fn dominators(blocks: &[Block<'_>]) -> Vec<BTreeSet<usize>> {
    let all: BTreeSet<usize> = (0..blocks.len()).collect();
    let mut found = vec![all; blocks.len()];
    if let Some(entry) = found.first_mut() {
        *entry = BTreeSet::from([0]);
    }
    let mut changes = true;
    while std::mem::take(&mut changes) {
        for at in 1..blocks.len() {
            let before = (0..blocks.len()).filter(|other| blocks[*other].successors.contains(&at));
            let common = before.map(|other| found[other].clone()).reduce(|a, b| &a & &b);
            let Some(mut common) = common else { continue };
            common.insert(at);
            changes |= common != found[at];
            found[at] = common;
        }
    }
    found
}

/// Does an instruction load or store under a mask?
fn is_masked_access(instruction: &str) -> bool {
    instruction.contains("maskmov") || (instruction.contains("{%k") && instruction.contains('('))
}

#[cfg(test)]
mod tests {
    use super::heaviest;

    /// Rows, with a loop over gangs that has a loop in it, and the same for the rest of a row.
    const X86_64: &str = "
\t.type\toxicl.group.0,@function
oxicl.group.0:
\tpushq\t%rbp
.LBB0_1:                                # of rows
\tmovq\t%r14, %r15
\tjmp\t.LBB0_3
\t.p2align\t4
.LBB0_2:
\tincq\t%r14
\tcmpq\t%r14, %rsi
\tjne\t.LBB0_1
\tretq
.LBB0_3:
\tvmovups\t(%rdi), %ymm0
.LBB0_4:
\tvfmadd213ps\t%ymm1, %ymm2, %ymm0
\tvfmadd213ps\t%ymm1, %ymm2, %ymm3
\tdecq\t%rax
\tjne\t.LBB0_4
\tvmovups\t%ymm0, (%rdi)
\tcmpq\t%rdi, %rcx
\tjb\t.LBB0_3
.LBB0_5:
\tvmaskmovps\t(%rdi), %ymm4, %ymm0
\tvfmadd213ps\t%ymm1, %ymm2, %ymm0
\tvfmadd213ps\t%ymm1, %ymm2, %ymm0
\tdecq\t%rax
\tjne\t.LBB0_5
\tjmp\t.LBB0_2
.Lfunc_end0:
oxicl.entry.0:
\tretq
";

    #[test]
    fn the_innermost_loop_of_whole_gangs_is_found() {
        let found = heaviest(X86_64, "oxicl.group.0").expect("a loop");
        assert_eq!((found.depth, found.blocks, found.instructions.len()), (3, 1, 4), "{found:?}");
        assert_eq!(found.instructions[1], "vfmadd213ps\t%ymm1, %ymm2, %ymm3");
    }

    #[test]
    fn long_code_around_a_short_loop_is_heavier() {
        let long = "\tvaddps\t%ymm0, %ymm0, %ymm0\n".repeat(200);
        let text = X86_64.replace("\tvmovups\t(%rdi), %ymm0\n", &long);
        let found = heaviest(&text, "oxicl.group.0").expect("a loop");
        // Without the loop inside it.
        assert_eq!((found.depth, found.blocks, found.instructions.len()), (2, 2, 203), "{found:?}");
    }

    #[test]
    fn work_items_of_an_iteration_are_counted_by_the_loops_around() {
        let counted = X86_64
            .replace("\tcmpq\t%rdi, %rcx\n", "\taddq\t$16, %rdi\n\taddq\t$8, %rdx\n\tcmpq\t%rdi, %rcx\n")
            .replace("\tincq\t%r14\n", "\taddq\t$4, %r14\n");
        let found = heaviest(&counted, "oxicl.group.0").expect("a loop");
        assert_eq!((found.items(8, 16, 1), found.items(8, 16, 4), found.items(8, 32, 2)), (16, 64, 16));
        // What is not known is what the gangs have.
        assert_eq!((found.items(32, 64, 1), found.items(1, 1, 1)), (64, 1));
        let found = heaviest(X86_64, "oxicl.group.0").expect("a loop");
        assert_eq!(found.items(8, 16, 4), 16);
    }

    #[test]
    fn code_without_a_loop_and_functions_that_are_not_there_have_none() {
        assert_eq!(heaviest(X86_64, "oxicl.entry.0"), None);
        assert_eq!(heaviest(X86_64, "oxicl.group.1"), None);
    }

    #[test]
    fn aarch64_branches_are_known() {
        let text = "\nf:\n.LBB0_1:\n\tfmla\tv0.4s, v1.4s, v2.4s\n\tcbz\tw0, .LBB0_3\n\tfadd\tv0.4s, v0.4s, v1.4s\n\
                    .LBB0_3:\n\tsubs\tx8, x8, #1\n\tb.ne\t.LBB0_1\n\tret\n.Lfunc_end0:\n";
        let found = heaviest(text, "f").expect("a loop");
        assert_eq!((found.depth, found.blocks, found.instructions.len()), (1, 3, 5), "{found:?}");
    }
}
