//! What the processor has, read from its feature bits and never from a model name.

use std::fs;
use std::path::Path;

use crate::choice::{Chosen, level};

/// Declares the features that generated code can use, with LLVM's name, the name that the standard library detects them by,
/// and those that each is of no use without. Detection includes whether the operating system keeps the registers.
macro_rules! cpu_features {
    ($($(#[$doc:meta])* $name:ident = $llvm:literal, $std:tt $(, needs $($needs:ident)+)?;)*) => {
        /// A feature of the instruction set.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names are those of the processor manuals")]
        pub enum CpuFeature { $($name,)* }

        impl CpuFeature {
            /// Every feature.
            pub const ALL: &'static [CpuFeature] = &[$(CpuFeature::$name,)*];

            /// LLVM's name of the target feature.
            pub const fn llvm_name(self) -> &'static str {
                match self { $(CpuFeature::$name => $llvm,)* }
            }

            /// Features that there is none of this without, as LLVM has it.
            pub const fn needs(self) -> &'static [CpuFeature] {
                match self { $(CpuFeature::$name => &[$($(CpuFeature::$needs,)+)?],)* }
            }

            #[cfg(target_arch = "x86_64")]
            fn is_present(self) -> bool {
                match self { $(CpuFeature::$name => std::arch::is_x86_feature_detected!($std),)* }
            }

            #[cfg(not(target_arch = "x86_64"))]
            fn is_present(self) -> bool {
                false
            }
        }
    };
}

cpu_features! {
    Sse3 = "sse3", "sse3";
    Ssse3 = "ssse3", "ssse3", needs Sse3;
    Sse41 = "sse4.1", "sse4.1", needs Ssse3;
    Sse42 = "sse4.2", "sse4.2", needs Sse41;
    Popcnt = "popcnt", "popcnt";
    Cmpxchg16b = "cx16", "cmpxchg16b";
    Movbe = "movbe", "movbe";
    Lzcnt = "lzcnt", "lzcnt";
    Bmi1 = "bmi", "bmi1";
    Bmi2 = "bmi2", "bmi2";
    Adx = "adx", "adx";
    F16c = "f16c", "f16c", needs Avx;
    Fma = "fma", "fma", needs Avx;
    Avx = "avx", "avx", needs Sse42;
    Avx2 = "avx2", "avx2", needs Avx;
    Sha = "sha", "sha";
    Gfni = "gfni", "gfni";
    AvxVnni = "avxvnni", "avxvnni", needs Avx2;
    Avx512F = "avx512f", "avx512f", needs Avx2 F16c Fma;
    Avx512Cd = "avx512cd", "avx512cd", needs Avx512F;
    Avx512Dq = "avx512dq", "avx512dq", needs Avx512F;
    Avx512Bw = "avx512bw", "avx512bw", needs Avx512F;
    Avx512Vl = "avx512vl", "avx512vl", needs Avx512F;
    Avx512Ifma = "avx512ifma", "avx512ifma", needs Avx512F;
    Avx512Vbmi = "avx512vbmi", "avx512vbmi", needs Avx512Bw;
    Avx512Vbmi2 = "avx512vbmi2", "avx512vbmi2", needs Avx512Bw;
    Avx512Vnni = "avx512vnni", "avx512vnni", needs Avx512F;
    Avx512Bitalg = "avx512bitalg", "avx512bitalg", needs Avx512Bw;
    Avx512Vpopcntdq = "avx512vpopcntdq", "avx512vpopcntdq", needs Avx512F;
    Avx512Bf16 = "avx512bf16", "avx512bf16", needs Avx512Bw;
    Avx512Fp16 = "avx512fp16", "avx512fp16", needs Avx512Bw;
}

impl CpuFeature {
    /// Those that the machine has that we run on.
    pub fn of_host() -> Vec<CpuFeature> {
        CpuFeature::ALL.iter().copied().filter(|feature| feature.is_present()).collect()
    }

    /// The feature that LLVM calls so.
    pub fn named(name: &str) -> Option<CpuFeature> {
        CpuFeature::ALL.iter().copied().find(|feature| feature.llvm_name() == name)
    }
}

/// The processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cpu {
    /// Who made it, such as `GenuineIntel`.
    pub vendor: String,
    /// What it calls itself.
    pub brand: String,
    /// Family, model and stepping; zeros if unknown.
    pub signature: [u32; 3],
    /// Highest clock, in MHz; 0 if unknown.
    pub max_mhz: u32,
    /// Its data caches.
    pub caches: Caches,
    /// Instruction set features, in the order of [`CpuFeature::ALL`].
    pub features: Vec<CpuFeature>,
    /// The processor that it is taken for, in the words of `OXICL_CPU`; `None` if it is taken as it is.
    pub taken_for: Option<String>,
}

impl Cpu {
    /// The processor of this machine.
    pub fn host() -> Self {
        let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name: &str| {
            let line = text.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name));
            line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned())
        };
        let mhz = fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").ok();
        let mhz = mhz.and_then(|khz| khz.trim().parse::<u32>().ok()).map(|khz| khz / 1000);
        let mhz = mhz.or_else(|| field("cpu MHz").and_then(|mhz| mhz.parse::<f64>().ok()).map(|mhz| mhz as u32));
        Cpu {
            vendor: field("vendor_id").unwrap_or_else(|| "unknown".to_owned()),
            brand: field("model name").unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH)),
            signature: ["cpu family", "model", "stepping"]
                .map(|name| field(name).and_then(|number| number.parse().ok()).unwrap_or(0)),
            max_mhz: mhz.unwrap_or(0),
            caches: Caches::of_host(Path::new("/sys/devices/system/cpu/cpu0/cache")),
            features: CpuFeature::of_host(),
            taken_for: None,
        }
    }

    /// The processor as another that has no more than it, if one was chosen.
    pub fn taken_for(self, chosen: Option<&Chosen>) -> Self {
        match chosen {
            Some(chosen) => Cpu { features: chosen.features.clone(), taken_for: Some(chosen.name.clone()), ..self },
            None => self,
        }
    }

    /// A processor of which only the features are known.
    pub fn of_features(features: Vec<CpuFeature>) -> Self {
        Cpu {
            vendor: "unknown".to_owned(),
            brand: format!("{} processor", std::env::consts::ARCH),
            signature: [0; 3],
            max_mhz: 0,
            caches: Caches::UNKNOWN,
            features,
            taken_for: None,
        }
    }

    /// Whether it has a feature.
    pub fn has(&self, feature: CpuFeature) -> bool {
        self.features.contains(&feature)
    }

    /// Width of its widest vector registers, in bytes. Those of 512 bits count where they can do what shorter ones can, as only
    /// then code for all lengths is written in the same way.
    pub fn vector_bytes(&self) -> u32 {
        match [CpuFeature::Avx512F, CpuFeature::Avx512Vl, CpuFeature::Avx512Dq].iter().all(|f| self.has(*f)) {
            true => 64,
            false if self.has(CpuFeature::Avx2) => 32,
            false => 16,
        }
    }

    /// The level of x86-64 that it has all of: 1 to 4.
    pub fn level(&self) -> u8 {
        level(&self.features)
    }

    /// LLVM's target features, each as `+name`.
    pub fn target_features(&self) -> Vec<String> {
        self.features.iter().map(|feature| format!("+{}", feature.llvm_name())).collect()
    }
}

/// The data caches that a CPU reaches, sizes in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caches {
    /// Level 2, which in most processors belongs to one core; 0 if unknown.
    pub second: u64,
    /// The largest; 0 if unknown.
    pub last: u64,
    /// A line.
    pub line: u32,
}

impl Caches {
    /// Nothing is known but what is true of all x86-64 processors.
    pub const UNKNOWN: Caches = Caches { second: 0, last: 0, line: 64 };

    /// What the system says in this folder, which has one for each cache of a CPU.
    fn of_host(folder: &Path) -> Self {
        let mut caches = Caches::UNKNOWN;
        for index in 0..8 {
            let folder = folder.join(format!("index{index}"));
            let read = |name: &str| Some(fs::read_to_string(folder.join(name)).ok()?.trim().to_owned());
            let Some(size) = read("size").and_then(|size| size_with_unit(&size)) else { continue };
            if read("type").is_none_or(|kind| kind == "Instruction") {
                continue;
            }
            if read("level").as_deref() == Some("2") {
                caches.second = size;
            }
            if size >= caches.last {
                caches.last = size;
                caches.line = read("coherency_line_size").and_then(|line| line.parse().ok()).unwrap_or(caches.line);
            }
        }
        caches
    }
}

/// `32K` as 32768.
fn size_with_unit(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match text.get(digits.len()..)? {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Caches, Cpu, CpuFeature, size_with_unit};

    #[test]
    fn sizes_have_units() {
        assert_eq!(size_with_unit("32K"), Some(32768));
        assert_eq!(size_with_unit("16M"), Some(16 << 20));
        assert_eq!(size_with_unit("77"), Some(77));
        assert_eq!(size_with_unit("K"), None);
        assert_eq!(size_with_unit("3X"), None);
    }

    #[test]
    fn caches_are_read_from_a_folder_each() {
        let folder = std::env::temp_dir().join(format!("oxicl-caches-{}", std::process::id()));
        let caches =
            [("1", "Data", "48K"), ("1", "Instruction", "64M"), ("2", "Unified", "1024K"), ("3", "Unified", "32M")];
        for (index, (level, kind, size)) in caches.into_iter().enumerate() {
            let folder = folder.join(format!("index{index}"));
            fs::create_dir_all(&folder).expect("a folder of our own");
            for (name, text) in [("level", level), ("type", kind), ("size", size), ("coherency_line_size", "64")] {
                fs::write(folder.join(name), format!("{text}\n")).expect("a file of our own");
            }
        }
        assert_eq!(Caches::of_host(&folder), Caches { second: 1 << 20, last: 32 << 20, line: 64 });
        fs::remove_dir_all(&folder).expect("it is ours");
        assert_eq!(Caches::of_host(&folder), Caches::UNKNOWN);
    }

    #[test]
    fn the_host_names_itself_and_its_features_stand_in_order() {
        let cpu = Cpu::host();
        assert!(!cpu.brand.is_empty() && cpu.caches.line.is_power_of_two());
        let order: Vec<_> = CpuFeature::ALL.iter().copied().filter(|feature| cpu.has(*feature)).collect();
        assert_eq!(order, cpu.features);
        assert_eq!(cpu.target_features().len(), cpu.features.len());
    }
}
