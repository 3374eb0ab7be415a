//! Processors by name: what `OXICL_CPU` may say, and which features each name stands for.

use crate::cpu::CpuFeature;

/// Processors that LLVM knows, a line each: its name, the highest level of x86-64 that it has all of, and what features it
/// has beyond. A test compares the file with clang.
const PROCESSORS: &str = include_str!("processors.txt");

/// A level of x86-64.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// LLVM's name of it.
    pub name: &'static str,
    /// The short name.
    pub short: &'static str,
    /// What it has that the level below has not.
    adds: &'static [CpuFeature],
}

/// The levels of x86-64 from the second on. The first has no instructions for what gangs do all the time.
pub const LEVELS: [Level; 3] = {
    use CpuFeature as F;
    [
        Level {
            name: "x86-64-v2",
            short: "v2",
            adds: &[F::Sse3, F::Ssse3, F::Sse41, F::Sse42, F::Popcnt, F::Cmpxchg16b],
        },
        Level {
            name: "x86-64-v3",
            short: "v3",
            adds: &[F::Movbe, F::Lzcnt, F::Bmi1, F::Bmi2, F::F16c, F::Fma, F::Avx, F::Avx2],
        },
        Level {
            name: "x86-64-v4",
            short: "v4",
            adds: &[F::Avx512F, F::Avx512Cd, F::Avx512Dq, F::Avx512Bw, F::Avx512Vl],
        },
    ]
};

/// A processor that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// As it was written, a level by its whole name.
    pub name: String,
    /// Its features, in the order of [`CpuFeature::ALL`].
    pub features: Vec<CpuFeature>,
}

/// The level that a processor has all of: 1 to 4.
pub(crate) fn level(features: &[CpuFeature]) -> u8 {
    let has_all = |level: &&Level| level.adds.iter().all(|feature| features.contains(feature));
    1 + LEVELS.iter().take_while(has_all).count() as u8
}

/// All that a level has; nothing for the first.
fn of_level(level: usize) -> impl Iterator<Item = CpuFeature> {
    LEVELS.iter().take(level.saturating_sub(1)).flat_map(|level| level.adds).copied()
}

/// A processor as `OXICL_CPU` names it, for a machine that has the features `host`. `None` stands for the machine as it is.
///
/// # Errors
/// There is no such processor, it has more than the machine, or less than x86-64-v2: why, in a sentence.
pub fn choose(text: &str, host: &[CpuFeature]) -> Result<Option<Chosen>, String> {
    let chosen = chosen(text, host)?;
    let features = chosen.iter().flat_map(|chosen| &chosen.features).copied();
    let more: Vec<CpuFeature> = features.filter(|feature| !host.contains(feature)).collect();
    match &chosen {
        Some(Chosen { name, .. }) if !more.is_empty() => {
            Err(format!("`{name}` has {}, which this machine does not have", list(&more)))
        }
        _ => Ok(chosen),
    }
}

/// The same, if it may have more than the machine: `native`, a level of x86-64 or LLVM's name of a processor, with features to be
/// added or removed behind commas.
///
/// # Errors
/// There is no such processor, or it has less than x86-64-v2: why, in a sentence.
pub fn chosen(text: &str, host: &[CpuFeature]) -> Result<Option<Chosen>, String> {
    let mut parts = text.split(',').map(str::trim);
    let base = parts.next().unwrap_or_default();
    let base = LEVELS.iter().find(|level| level.short == base).map_or(base, |level| level.name);
    let changes: Vec<&str> = parts.collect();
    if base == "native" && changes.is_empty() {
        return Ok(None);
    }
    let mut features = named(base, host).ok_or_else(|| {
        format!("`{base}` is none of native, x86-64-v2, x86-64-v3 and x86-64-v4, and no processor that LLVM knows")
    })?;
    for change in &changes {
        apply(change, &mut features)?;
    }
    let name = [base].into_iter().chain(changes).collect::<Vec<_>>().join(",");
    let least: Vec<CpuFeature> = of_level(2).filter(|feature| !features.contains(feature)).collect();
    if !least.is_empty() {
        return Err(format!("`{name}` has no {}, and the least that code is generated for is x86-64-v2", list(&least)));
    }
    let features: Vec<_> = CpuFeature::ALL.iter().copied().filter(|feature| features.contains(feature)).collect();
    Ok(Some(Chosen { name, features }))
}

/// Names of features, for people.
fn list(features: &[CpuFeature]) -> String {
    features.iter().map(|feature| feature.llvm_name()).collect::<Vec<_>>().join(", ")
}

/// The features of a processor by its name.
fn named(name: &str, host: &[CpuFeature]) -> Option<Vec<CpuFeature>> {
    if name == "native" {
        return Some(host.to_vec());
    }
    let mut words = PROCESSORS.lines().map(str::split_whitespace).find(|words| words.clone().next() == Some(name))?;
    let level = words.nth(1)?.trim_start_matches('v').parse().ok()?;
    Some(of_level(level).chain(words.filter_map(CpuFeature::named)).collect())
}

/// Adds a feature with what it needs, or removes it with what needs it.
fn apply(change: &str, features: &mut Vec<CpuFeature>) -> Result<(), String> {
    let (is_more, name) = match (change.strip_prefix('+'), change.strip_prefix('-')) {
        (Some(name), _) => (true, name),
        (_, Some(name)) => (false, name),
        _ => return Err(format!("`{change}` has neither + nor - in front, as a feature behind a processor has")),
    };
    let feature =
        CpuFeature::named(name).ok_or_else(|| format!("`{name}` is no feature that code is generated with"))?;
    if is_more {
        add(feature, features);
    } else {
        features.retain(|other| !is_needed(feature, *other));
    }
    Ok(())
}

fn add(feature: CpuFeature, features: &mut Vec<CpuFeature>) {
    if !features.contains(&feature) {
        features.push(feature);
    }
    feature.needs().iter().for_each(|needed| add(*needed, features));
}

/// Whether there is none of `by` without a feature, be it the same.
fn is_needed(feature: CpuFeature, by: CpuFeature) -> bool {
    feature == by || by.needs().iter().any(|needed| is_needed(feature, *needed))
}

#[cfg(test)]
mod tests {
    use super::{LEVELS, choose, level, of_level};
    use crate::cpu::CpuFeature;

    fn at(level: usize) -> Vec<CpuFeature> {
        let has = |feature: &CpuFeature| of_level(level).any(|of| of == *feature);
        CpuFeature::ALL.iter().copied().filter(has).collect()
    }

    /// The features that are chosen on a machine of a level.
    fn chosen(text: &str, machine: usize) -> Vec<CpuFeature> {
        choose(text, &at(machine)).expect(text).expect(text).features
    }

    #[test]
    fn levels_have_long_and_short_names() {
        for (number, known) in (2..).zip(LEVELS) {
            assert_eq!(chosen(known.name, 4), at(number));
            assert_eq!(chosen(known.short, 4), at(number));
            assert_eq!(level(&at(number)), number as u8);
            let name = choose(known.short, &at(4)).expect("one of them").expect("not the machine's").name;
            assert_eq!(name, known.name, "names are shown in full");
        }
        assert_eq!(level(&[]), 1);
    }

    #[test]
    fn the_machine_as_it_is_is_no_choice() {
        assert_eq!(choose("native", &at(3)), Ok(None));
        assert_eq!(chosen("native,-avx2", 3), chosen("x86-64-v3,-avx2", 4));
    }

    #[test]
    fn a_processor_has_what_llvm_says() {
        let haswell = chosen("haswell", 4);
        assert!(haswell == at(3), "{haswell:?}");
        let skylake: Vec<_> = chosen("skylake-avx512,-adx", 4);
        assert_eq!(skylake, at(4));
    }

    #[test]
    fn features_come_with_what_they_need_and_go_with_what_needs_them() {
        use CpuFeature as F;
        let more = chosen("x86-64-v2,+avx512bw", 4);
        assert!(
            [F::Avx, F::Avx2, F::Fma, F::F16c, F::Avx512F].iter().all(|feature| more.contains(feature)),
            "{more:?}"
        );
        assert!(!more.contains(&F::Bmi2));
        let less = chosen("x86-64-v4,-avx", 4);
        let gone = [F::Avx, F::Avx2, F::Fma, F::F16c, F::Avx512F, F::Avx512Vl];
        assert!(gone.iter().all(|feature| !less.contains(feature)) && less.contains(&F::Bmi2), "{less:?}");
    }

    #[test]
    fn what_cannot_be_is_told_with_the_features_that_are_in_the_way() {
        for (text, machine, why) in [
            (
                "x86-64-v4",
                3,
                "`x86-64-v4` has avx512f, avx512cd, avx512dq, avx512bw, avx512vl, which this machine does not have",
            ),
            ("haswell", 2, "lzcnt, bmi, bmi2, f16c, fma, avx, avx2, which this machine"),
            ("x86-64", 4, "`x86-64` has no sse3, ssse3, sse4.1, sse4.2, popcnt, cx16, and the least"),
            ("core2", 4, "`core2` has no sse4.1, sse4.2, popcnt"),
            ("v3,-popcnt", 4, "`x86-64-v3,-popcnt` has no popcnt"),
            ("z80", 4, "`z80` is none of native"),
            ("", 4, "`` is none of native"),
            ("v3,avx2", 4, "`avx2` has neither + nor -"),
            ("v3,+avx1024", 4, "`avx1024` is no feature"),
        ] {
            let told = choose(text, &at(machine)).expect_err(text);
            assert!(told.contains(why), "{text}: {told}");
        }
    }
}
