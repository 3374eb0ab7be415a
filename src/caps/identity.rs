//! Who the platform and its device say that they are.
//!
//! People and applications have to see that this library runs: the name of the device, and all versions, say so. The vendor
//! of the device is who made the processor: his number is one that the specification knows, and what applications do for
//! a vendor's sake, they do for his hardware.

use crate::config::Names;
use crate::cpu::Cpu;

/// Name of the platform.
pub const PLATFORM_NAME: &str = "oxicl";
/// Vendor of the platform.
pub const PLATFORM_VENDOR: &str = "oxicl";
/// Version of the driver, whichever build.
pub const DRIVER_VERSION: &str = env!("CARGO_PKG_VERSION");

/// What the queries for names and versions answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) platform: String,
    pub(crate) platform_vendor: String,
    pub(crate) device: String,
    pub(crate) device_vendor: String,
    pub(crate) vendor_id: u32,
    /// `CL_DRIVER_VERSION`.
    pub(crate) driver_version: String,
    /// `DRIVER_VERSION`, and the build: what is said where a version is more than a string to show.
    pub(crate) built_version: String,
}

impl Identity {
    /// Of a build, if its name is known, on a processor, but for the `names` that the environment asks for.
    pub(crate) fn new(cpu: &Cpu, names: &Names, build: &str) -> Self {
        let (maker, number) = vendor(&cpu.vendor);
        let chosen = |name: &Option<String>, own: &str| name.clone().unwrap_or_else(|| own.to_owned());
        let built_version = match build {
            "" => DRIVER_VERSION.to_owned(),
            build => format!("{DRIVER_VERSION}+{build}"),
        };
        Identity {
            platform: chosen(&names.platform, PLATFORM_NAME),
            platform_vendor: chosen(&names.vendor, PLATFORM_VENDOR),
            // The processor comes first: lists are read, and searched, by the make of the hardware.
            device: chosen(&names.device, &device(cpu)),
            device_vendor: chosen(&names.vendor, maker),
            vendor_id: names.vendor_id.unwrap_or(number),
            driver_version: chosen(&names.driver_version, &built_version),
            built_version,
        }
    }
}

/// Name of the device: what was measured on one that is taken for another is not to be taken for the machine's.
fn device(cpu: &Cpu) -> String {
    match &cpu.taken_for {
        Some(other) => format!("{} ({PLATFORM_NAME}, {other})", cpu.brand),
        None => format!("{} ({PLATFORM_NAME})", cpu.brand),
    }
}

/// Name and PCI number of the processor's vendor.
fn vendor(cpuid: &str) -> (&str, u32) {
    match cpuid {
        "GenuineIntel" => ("Intel", 0x8086),
        "AuthenticAMD" => ("AMD", 0x1022),
        "CentaurHauls" | "  Shanghai  " => ("Zhaoxin", 0x1D17),
        other => (other, 0),
    }
}

/// An identifier that equal texts share: FNV-1a of 128 bits, marked as a custom UUID (version 8).
pub(crate) fn uuid(texts: &[&str]) -> Vec<u8> {
    let mut hash: u128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D;
    for byte in texts.iter().flat_map(|text| text.bytes().chain([0])) {
        hash = (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013B);
    }
    let mut bytes = hash.to_be_bytes();
    bytes[6] = bytes[6] & 0x0F | 0x80;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    bytes.to_vec()
}

#[cfg(test)]
mod tests {
    use super::{DRIVER_VERSION, Identity, Names};
    use crate::DeviceCaps;

    #[test]
    fn the_library_and_its_build_are_named() {
        let cpu = DeviceCaps::example().cpu;
        let known = Identity::new(&cpu, &Names::default(), "b1");
        assert!(known.device.starts_with(&cpu.brand) && known.device.contains("oxicl"), "{}", known.device);
        assert_eq!((known.device_vendor.as_str(), known.vendor_id), ("Intel", 0x8086));
        assert_eq!(known.driver_version, format!("{DRIVER_VERSION}+b1"));
        assert_eq!(Identity::new(&cpu, &Names::default(), "").driver_version, DRIVER_VERSION);
        assert_ne!(Identity::new(&cpu, &Names::default(), "b2"), known);
    }

    #[test]
    fn a_processor_that_is_taken_for_another_says_so() {
        let cpu = DeviceCaps::example().cpu;
        let other = crate::Cpu { taken_for: Some("x86-64-v2".into()), ..cpu.clone() };
        let known = Identity::new(&other, &Names::default(), "b").device;
        assert!(known.starts_with(&cpu.brand) && known.ends_with("(oxicl, x86-64-v2)"), "{known}");
    }

    #[test]
    fn names_of_the_environment_win_where_there_are_any() {
        let cpu = DeviceCaps::example().cpu;
        let names =
            Names { device: Some("D".into()), vendor: Some("V".into()), vendor_id: Some(7), ..Names::default() };
        let chosen = Identity::new(&cpu, &names, "b");
        assert_eq!([&chosen.device, &chosen.device_vendor, &chosen.platform_vendor], ["D", "V", "V"]);
        assert_eq!((chosen.vendor_id, chosen.platform.as_str()), (7, "oxicl"));
        let names = Names { platform: Some("P".into()), driver_version: Some("1.2".into()), ..Names::default() };
        let chosen = Identity::new(&cpu, &names, "b");
        assert_eq!([&chosen.platform, &chosen.driver_version], ["P", "1.2"]);
        assert_eq!(chosen.built_version, format!("{DRIVER_VERSION}+b"), "what caches rely on stays");
    }
}
