//! Random control flow: kernels whose blocks branch to each other in any way, loops with several entries among them, with
//! switches on all widths and values that meet in phis. A count of turns ends every work-item.

use std::fmt::Write as _;

use oxicl_generator::Random;

/// Turns that a work-item takes at most.
const TURNS: u64 = 60;

/// A block: what ends it, and where to.
struct Block {
    kind: Kind,
    targets: Vec<usize>,
}

enum Kind {
    Branch,
    Conditional,
    /// On the low bits of the value, in an integer of this width.
    Switch(u32),
}

/// The body of a case for `instructions`: it defines `%r`.
pub fn body(seed: u64) -> String {
    let mut random = Random::new(seed);
    let count = 2 + random.below(12) as usize;
    let blocks: Vec<Block> = (0..count).map(|_| block(&mut random, count)).collect();
    // Block `count` is the way out.
    let mut text = String::from("OpBranch %entry\n%entry = OpLabel\n%s_in = OpIAdd %uint %ids_i %xi\nOpBranch %b0\n");
    for index in order(&blocks) {
        let block = &blocks[index];
        let parents: Vec<usize> = (0..count).filter(|from| blocks[*from].targets.contains(&index)).collect();
        let mut phi = |name: &str, ty: &str, entry: &str| {
            let mut line = format!("%{name}{index} = OpPhi %{ty}");
            if index == 0 {
                let _ = write!(line, " {entry} %entry");
            }
            for from in &parents {
                // Some values are constants, and some blocks take what another computed long ago.
                let value = match (name, random.below(6)) {
                    ("s", 0) => "%i7".to_owned(),
                    _ => format!("%{name}x{from}"),
                };
                let _ = write!(line, " {value} %e{from}");
            }
            line + "\n"
        };
        let reached = index == 0 || !parents.is_empty();
        let _ = writeln!(text, "%b{index} = OpLabel");
        if reached {
            text += &phi("s", "uint", "%s_in");
            text += &phi("n", "uint", "%i0");
        } else {
            let _ = writeln!(text, "%s{index} = OpCopyObject %uint %i0\n%n{index} = OpCopyObject %uint %i0");
        }
        let factor = random.below(1 << 20) | 1;
        let _ = writeln!(
            text,
            "%nx{index} = OpIAdd %uint %n{index} %i1\n%m{index} = OpIMul %uint %s{index} %k{factor}\n\
             %sx{index} = OpIAdd %uint %m{index} %nx{index}\n\
             %go{index} = OpULessThan %bool %nx{index} %k{TURNS}\nOpBranchConditional %go{index} %e{index} %out\n\
             %e{index} = OpLabel\n%h{index} = OpShiftRightLogical %uint %sx{index} %i7"
        );
        text += &end(index, block);
    }
    let _ = write!(text, "%out = OpLabel\n%r = OpPhi %uint");
    for index in 0..count {
        let _ = write!(text, " %sx{index} %b{index}");
    }
    text += "\n";
    text
}

/// The blocks, each behind those that dominate it: in reverse post-order, those that nothing reaches at the end.
fn order(blocks: &[Block]) -> Vec<usize> {
    let (mut seen, mut order) = (vec![false; blocks.len()], Vec::new());
    let mut stack = vec![(0, 0)];
    seen[0] = true;
    while let Some((index, next)) = stack.last_mut() {
        match blocks[*index].targets.get(*next) {
            Some(target) => {
                *next += 1;
                if !std::mem::replace(&mut seen[*target], true) {
                    stack.push((*target, 0));
                }
            }
            None => {
                order.push(*index);
                stack.pop();
            }
        }
    }
    order.reverse();
    order.extend((0..blocks.len()).filter(|index| !seen[*index]));
    order
}

fn block(random: &mut Random, count: usize) -> Block {
    let kind = match random.below(4) {
        0 => Kind::Branch,
        1 | 2 => Kind::Conditional,
        _ => Kind::Switch([8, 16, 32, 64][random.below(4) as usize]),
    };
    let targets = match kind {
        Kind::Branch => 1,
        Kind::Conditional => 2,
        Kind::Switch(_) => 1 + random.below(6) as usize,
    };
    Block { kind, targets: (0..targets).map(|_| random.below(count as u64) as usize).collect() }
}

/// The instructions that end block `index`.
fn end(index: usize, block: &Block) -> String {
    let target = |place: usize| format!("%b{}", block.targets.get(place).copied().unwrap_or(0));
    match block.kind {
        Kind::Branch => format!("OpBranch {}\n", target(0)),
        Kind::Conditional => format!(
            "%a{index} = OpBitwiseAnd %uint %h{index} %i1\n%c{index} = OpIEqual %bool %a{index} %i0\n\
             OpBranchConditional %c{index} {} {}\n",
            target(0),
            target(1)
        ),
        Kind::Switch(width) => {
            let (ty, convert) = match width {
                8 => ("uchar", "OpUConvert"),
                16 => ("ushort", "OpUConvert"),
                32 => ("uint", "OpCopyObject"),
                _ => ("ulong", "OpUConvert"),
            };
            let mut text = format!(
                "%a{index} = OpBitwiseAnd %uint %h{index} %i7\n%c{index} = {convert} %{ty} %a{index}\nOpSwitch %c{index} {}",
                target(0)
            );
            for place in 1..block.targets.len() {
                let _ = write!(text, " {place} {}", target(place));
            }
            text + "\n"
        }
    }
}

/// The constants that the body names `%k<number>`.
pub fn constants(body: &str) -> String {
    let mut found: Vec<&str> = body.split([' ', '\n']).filter(|word| is_constant(word)).collect();
    found.sort_unstable();
    found.dedup();
    found.iter().map(|name| format!("{name} = OpConstant %uint {}\n", &name[2..])).collect()
}

fn is_constant(word: &str) -> bool {
    word.strip_prefix("%k").is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The body of a case with one switch of so many cases, to a tenth as many blocks, on an integer type of this width.
pub fn large_switch(cases: u64, width: u32) -> String {
    let convert = match width {
        16 => "OpUConvert %ushort",
        32 => "OpCopyObject %uint",
        _ => "OpUConvert %ulong",
    };
    let blocks = cases.div_ceil(10);
    let mut text = format!(
        "OpBranch %entry\n%entry = OpLabel\n%odd = OpIMul %uint %ids_i %k7\n%on = {convert} %odd\nOpSwitch %on %other"
    );
    // Large steps, so that no table serves.
    let step = if width == 64 { 1 << 33 | 7 } else { 7 };
    for case in 0..cases {
        let _ = write!(text, " {} %b{}", case * step, case % blocks);
    }
    text += "\n";
    for block in 0..blocks {
        let _ = writeln!(text, "%b{block} = OpLabel\n%t{block} = OpIAdd %uint %odd %k{block}\nOpBranch %out");
    }
    text += "%other = OpLabel\nOpBranch %out\n%out = OpLabel\n%r = OpPhi %uint %i0 %other";
    for block in 0..blocks {
        let _ = write!(text, " %t{block} %b{block}");
    }
    text + "\n"
}

/// The body of a case with a chain of so many blocks, each of which may skip the next.
pub fn long_chain(blocks: u64) -> String {
    let mut text = String::from("OpBranch %start\n%start = OpLabel\nOpBranch %b0\n");
    for block in 0..blocks {
        let before: Vec<u64> = [block.checked_sub(1), block.checked_sub(2)].into_iter().flatten().collect();
        let _ = write!(text, "%b{block} = OpLabel\n%v{block} = OpPhi %uint");
        if block == 0 {
            text += " %xi %start";
        }
        for from in before {
            let _ = write!(text, " %w{from} %b{from}");
        }
        let _ = write!(
            text,
            "\n%w{block} = OpIAdd %uint %v{block} %ids_i\n%a{block} = OpBitwiseAnd %uint %w{block} %i1\n\
             %c{block} = OpIEqual %bool %a{block} %i0\nOpBranchConditional %c{block} %b{} %b{}\n",
            block + 1,
            block + 2
        );
    }
    let (last, before) = (blocks - 1, blocks - 2);
    let _ = write!(
        text,
        "%b{blocks} = OpLabel\n%end = OpPhi %uint %w{last} %b{last} %w{before} %b{before}\nOpBranch %b{}\n\
         %b{} = OpLabel\n%r = OpPhi %uint %end %b{blocks} %w{last} %b{last}\n",
        blocks + 1,
        blocks + 1
    );
    text
}
