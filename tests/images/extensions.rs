//! Which extensions this suite shows to be there; `tests/advertised` shows all others.

/// Whether an extension that the device lists comes with images.
pub fn come_with_images(name: &str) -> bool {
    ["image", "srgb", "depth", "intel_subgroups", "intel_spirv"].iter().any(|word| name.contains(word))
}
