//! One command for a release: `cargo xtask release VERSION [--dry-run]`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::driver::target_folder;
use crate::process::{Outcome, cargo, output, root, run};

/// Manifests that have the version. The fuzz targets are a workspace of their own.
const MANIFESTS: &[&str] = &["Cargo.toml", "fuzz/Cargo.toml"];
const LOCKS: &[&str] = &["Cargo.lock", "fuzz/Cargo.lock"];
const CHANGELOG: &str = "CHANGELOG.md";
/// The heading that changes stand under until they are released.
const UNRELEASED: &str = "## Unreleased";

/// Makes a release: the version and the changelog's date in a commit, packages with their sums and bill of materials of that
/// commit, and then its tag. With `dry`, says what it would do, and whether it could.
pub fn release(arguments: &[String], dry: bool) -> Outcome {
    let [version] = arguments else {
        return Err("name the version: cargo xtask release VERSION [--dry-run]".to_owned());
    };
    let plan = Plan::new(root(), version)?;
    if dry {
        print!("{}", plan.describe());
        return Ok(());
    }
    plan.write()?;
    for folder in ["", "fuzz"] {
        lock(&root().join(folder))?;
    }
    plan.commit()?;
    let back = "the commit is there and its tag is not; `git reset --hard HEAD~1` takes it back";
    // In a process of its own: this one was built with the old version.
    run(cargo().args(["run", "--quiet", "--package", "xtask", "--", "package"]))
        .map_err(|why| format!("{why}; {back}"))?;
    plan.tag()?;
    println!("released {version}: {}", target_folder()?.join("package/out").display());
    println!("publish it with: git push --follow-tags, and the files of that folder");
    Ok(())
}

/// A release that can be made.
struct Plan<'a> {
    root: &'a Path,
    version: &'a str,
    date: String,
    /// Manifests and the changelog as they will be, by their path.
    files: Vec<(&'static str, String)>,
}

impl<'a> Plan<'a> {
    /// Looks whether `version` can be released from the repository at `root`.
    fn new(root: &'a Path, version: &'a str) -> Outcome<Self> {
        let number = numbers(version).ok_or_else(|| format!("{version} is no version of the form 1.2.3"))?;
        let changed = git(root, &["status", "--porcelain"])?;
        if !changed.is_empty() {
            return Err(format!("the working tree is not clean; commit or stash first:\n{}", changed.trim_end()));
        }
        if !git(root, &["tag", "--list", &format!("v{version}")])?.is_empty() {
            return Err(format!("there is a tag v{version} already"));
        }
        let date = output(Command::new("date").args(["--utc", "+%Y-%m-%d"]))?.trim().to_owned();
        let mut files = Vec::new();
        for name in MANIFESTS {
            let (text, old) = with_version(&read(root, name)?, version).map_err(|why| format!("{name}: {why}"))?;
            // The first release may have the version that the manifests began with.
            if numbers(&old).is_some_and(|old| old > number) {
                return Err(format!("{name} has the version {old}, which is later than {version}"));
            }
            files.push((*name, text));
        }
        let changelog = dated(&read(root, CHANGELOG)?, version, &date).map_err(|why| format!("{CHANGELOG}: {why}"))?;
        files.push((CHANGELOG, changelog));
        Ok(Plan { root, version, date, files })
    }

    fn describe(&self) -> String {
        let Plan { version, date, .. } = self;
        format!(
            "The tree is clean, {CHANGELOG} has unreleased changes, and there is no tag v{version}. A release would:\n\
             - set the version {version} in {} and {};\n\
             - put {CHANGELOG}'s unreleased changes under `{version} - {date}`;\n\
             - commit that as `release: {version}`;\n\
             - build the wheel, the Debian package and the archive, with SHA256SUMS and the bill of materials;\n\
             - tag the commit v{version}.\n",
            MANIFESTS.join(", "),
            LOCKS.join(", ")
        )
    }

    fn write(&self) -> Outcome {
        let write = |(name, text): &(&str, String)| {
            fs::write(self.root.join(name), text).map_err(|error| format!("{name}: {error}"))
        };
        self.files.iter().try_for_each(write)
    }

    fn commit(&self) -> Outcome {
        let message = format!("release: {}", self.version);
        git(self.root, &["commit", "--quiet", "--all", "--message", &message]).map(drop)
    }

    fn tag(&self) -> Outcome {
        let (tag, message) = (format!("v{}", self.version), format!("oxicl {}", self.version));
        git(self.root, &["tag", "--annotate", &tag, "--message", &message]).map(drop)
    }
}

fn git(root: &Path, arguments: &[&str]) -> Outcome<String> {
    output(Command::new("git").args(arguments).current_dir(root))
}

fn read(root: &Path, name: &str) -> Outcome<String> {
    fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"))
}

/// Cargo writes the versions of a workspace's own packages into its lock whenever it reads it.
fn lock(workspace: &Path) -> Outcome {
    let mut command = cargo();
    command.args(["metadata", "--offline", "--format-version=1"]).current_dir(workspace);
    run(command.stdout(Stdio::null()))
}

/// The numbers of a version, which are compared one by one.
fn numbers(version: &str) -> Option<[u32; 3]> {
    let parts: Vec<&str> = version.split('.').collect();
    // No sign, no space, no zero in front: what cargo takes.
    let number = |part: &&str| part.parse::<u32>().ok().filter(|number| number.to_string() == **part);
    let [major, minor, patch] = parts.as_slice() else { return None };
    Some([number(major)?, number(minor)?, number(patch)?])
}

/// A manifest with another version, and the one that it had: that of its package, or of all packages of the workspace.
fn with_version(manifest: &str, version: &str) -> Outcome<(String, String)> {
    let mut section = "";
    let mut old = None;
    let mut lines = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        }
        let value = line.strip_prefix("version = \"").and_then(|rest| rest.strip_suffix('"'));
        match value.filter(|_| matches!(section, "[package]" | "[workspace.package]")) {
            Some(value) => {
                old = Some(value.to_owned());
                lines.push(format!("version = \"{version}\""));
            }
            None => lines.push(line.to_owned()),
        }
    }
    let old = old.ok_or("there is no version")?;
    Ok((lines.join("\n") + "\n", old))
}

/// The changelog with what was unreleased under a version and its date, and nothing unreleased.
fn dated(changelog: &str, version: &str, date: &str) -> Outcome<String> {
    let (before, behind) =
        changelog.split_once(&format!("\n{UNRELEASED}\n")).ok_or_else(|| format!("there is no `{UNRELEASED}`"))?;
    let changes = behind.split("\n## ").next().unwrap_or_default();
    if !changes.lines().any(|line| line.starts_with("- ")) {
        return Err(format!("nothing stands under `{UNRELEASED}`"));
    }
    Ok(format!("{before}\n{UNRELEASED}\n\n## {version} - {date}\n{behind}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str =
        "[workspace]\n[workspace.package]\nversion = \"0.1.0\"\n[dependencies]\nversion = \"7.0.0\"\n";
    const CHANGES: &str =
        "# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n\n## 0.1.0 - 2020-01-01\n\n- All.\n";

    #[test]
    fn versions_are_three_numbers() {
        assert_eq!(numbers("1.20.3"), Some([1, 20, 3]));
        for wrong in ["", "1", "1.2", "1.2.3.4", "1.2.x", "v1.2.3", "1.02.3", "+1.2.3", "1.2.3-rc1"] {
            assert_eq!(numbers(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn only_the_packages_own_version_is_set() {
        let (text, old) = with_version(MANIFEST, "0.2.0").expect("a version");
        assert_eq!((text, old.as_str()), (MANIFEST.replace("0.1.0", "0.2.0"), "0.1.0"));
        assert!(with_version("[dependencies]\nversion = \"7.0.0\"\n", "0.2.0").is_err());
    }

    #[test]
    fn unreleased_changes_get_their_version_and_a_changelog_without_any_is_refused() {
        let text = dated(CHANGES, "0.2.0", "2021-02-03").expect("changes");
        assert!(text.contains("## Unreleased\n\n## 0.2.0 - 2021-02-03\n\n### Added\n\n- A thing."), "{text}");
        assert!(dated(&text, "0.3.0", "2021-02-04").is_err_and(|why| why.contains("nothing stands under")));
        assert!(dated("# Changelog\n", "0.2.0", "2021-02-03").is_err());
    }

    /// A repository of its own, removed at the end.
    struct Repository(std::path::PathBuf);

    impl Repository {
        fn new(name: &str) -> Repository {
            let root = std::env::temp_dir().join(format!("oxicl-release-{name}-{}", std::process::id()));
            fs::create_dir_all(root.join("fuzz")).expect("made");
            for (file, text) in [("Cargo.toml", MANIFEST), ("fuzz/Cargo.toml", MANIFEST), (CHANGELOG, CHANGES)] {
                fs::write(root.join(file), text).expect("written");
            }
            for command in [
                &["init", "--quiet"][..],
                &["config", "user.name", "Somebody"],
                &["config", "user.email", "somebody@example.com"],
                &["add", "--all"],
                &["commit", "--quiet", "--message", "begin"],
            ] {
                git(&root, command).expect("git");
            }
            Repository(root)
        }
    }

    impl Drop for Repository {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_release_is_a_commit_and_a_tag_and_cannot_be_made_twice() {
        let repository = Repository::new("made");
        let root = &repository.0;
        let plan = Plan::new(root, "0.2.0").expect("it can be made");
        assert!(plan.describe().contains("tag the commit v0.2.0"));
        assert_eq!(read(root, "Cargo.toml").as_deref(), Ok(MANIFEST), "planning changes nothing");
        plan.write().and_then(|()| plan.commit()).and_then(|()| plan.tag()).expect("made");
        assert_eq!(git(root, &["status", "--porcelain"]).as_deref(), Ok(""));
        assert_eq!(git(root, &["describe"]).as_deref(), Ok("v0.2.0\n"));
        for name in MANIFESTS {
            assert!(read(root, name).expect("read").contains("version = \"0.2.0\""), "{name}");
        }
        for (version, why) in
            [("0.2.0", "tag v0.2.0 already"), ("0.1.9", "later than"), ("0.3.0", "nothing stands under")]
        {
            assert!(Plan::new(root, version).is_err_and(|told| told.contains(why)), "{version}");
        }
    }

    #[test]
    fn a_tree_with_changes_is_not_released() {
        let repository = Repository::new("dirty");
        fs::write(repository.0.join("new"), "text").expect("written");
        assert!(Plan::new(&repository.0, "0.2.0").is_err_and(|why| why.contains("not clean")));
    }
}
