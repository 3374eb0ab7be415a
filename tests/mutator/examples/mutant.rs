//! `mutant FOLDER SEED OUT`: writes the mutant that `oxicl-guest build-mutants FOLDER` makes of a seed.

use std::path::Path;

use oxicl_mutator::{mutate_bytes, of_seed, spv_files};

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, seed, out] = arguments.as_slice() else { return Err("usage: mutant FOLDER SEED OUT".to_owned()) };
    let files = spv_files(Path::new(folder))?;
    let seed = seed.parse().map_err(|error| format!("{seed}: {error}"))?;
    let (module, donor, mut random) = of_seed(seed, files.len());
    let (module, donor) = (files[module].as_path(), files[donor].as_path());
    let read = |path: &Path| std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    println!("{} with pieces of {}", module.display(), donor.display());
    let mutant = mutate_bytes(&read(module)?, &read(donor)?, &mut random);
    std::fs::write(out, mutant).map_err(|error| format!("{out}: {error}"))
}
