//! `mutant FOLDER SEED OUT`: writes the mutant that `oxicl-guest build-mutants FOLDER` makes of a seed.

use oxicl_mutator::{Random, mutate_bytes};

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, seed, out] = arguments.as_slice() else { return Err("usage: mutant FOLDER SEED OUT".to_owned()) };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| format!("{folder}: {error}"))? {
        let path = entry.map_err(|error| format!("{folder}: {error}"))?.path();
        if path.extension().is_some_and(|extension| extension == "spv") {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(format!("{folder} has no .spv file"));
    }
    paths.sort();
    let mut random = Random::new(seed.parse().map_err(|error| format!("{seed}: {error}"))?);
    let [module, donor] = [(); 2].map(|()| random.pick(&paths));
    let read = |path: &std::path::PathBuf| std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    println!("{} with pieces of {}", module.display(), donor.display());
    let mutant = mutate_bytes(&read(module)?, &read(donor)?, &mut random);
    std::fs::write(out, mutant).map_err(|error| format!("{out}: {error}"))
}
