//! Pictures: made up, read, written.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;

/// An RGBA picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Row by row.
    pub pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// Rings, bars and a shaded disc: edges in every direction and smooth areas between them.
    pub fn generate(width: usize, height: usize) -> Picture {
        let pixels = (0..width * height).map(|i| generated(i % width, i / width, width, height)).collect();
        Picture { width, height, pixels }
    }

    /// Reads a PNG of any colour type.
    pub fn read(path: &Path) -> Result<Picture, String> {
        let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let file = File::open(path).map_err(|error| named(&error))?;
        let mut decoder = png::Decoder::new(BufReader::new(file));
        decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
        let mut reader = decoder.read_info().map_err(|error| named(&error))?;
        let size = reader.output_buffer_size().ok_or_else(|| named(&"too large"))?;
        let mut bytes = vec![0; size];
        let frame = reader.next_frame(&mut bytes).map_err(|error| named(&error))?;
        let samples = frame.color_type.samples();
        let pixels = bytes[..frame.buffer_size()]
            .chunks_exact(samples)
            .map(|pixel| match *pixel {
                [grey, alpha] => [grey, grey, grey, alpha],
                [r, g, b, a] => [r, g, b, a],
                _ => [0, 0, 0, 255],
            })
            .collect();
        Ok(Picture { width: frame.width as usize, height: frame.height as usize, pixels })
    }

    /// Writes a PNG.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let file = File::create(path).map_err(|error| named(&error))?;
        let mut encoder = png::Encoder::new(BufWriter::new(file), self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header().map_err(|error| named(&error))?;
        writer.write_image_data(self.pixels.as_flattened()).map_err(|error| named(&error))?;
        writer.finish().map_err(|error| named(&error))
    }
}

fn generated(x: usize, y: usize, width: usize, height: usize) -> [u8; 4] {
    let (u, v) = (x as f32 / width as f32, y as f32 / height as f32);
    let ratio = width as f32 / height as f32;
    let (dx, dy) = ((u - 0.3) * ratio, v - 0.5);
    let distance = (dx * dx + dy * dy).sqrt();
    if distance < 0.35 {
        // A ball, lit from above left.
        let up = (0.35f32 * 0.35 - distance * distance).sqrt();
        let light = ((up - dx - dy) / 0.6).clamp(0.1, 1.0);
        return [255.0 * light, 150.0 * light, 60.0 * light, 255.0].map(|c| c as u8);
    }
    let (rx, ry) = ((u - 0.8) * ratio, v - 0.35);
    let rings = ((rx * rx + ry * ry).sqrt() * 60.0).sin();
    let bars = if v > 0.8 && ((u * 24.0) as u32).is_multiple_of(2) { 90.0 } else { 0.0 };
    [70.0 + 60.0 * rings + bars, 90.0 + 90.0 * v + bars, 200.0 - 120.0 * v, 255.0].map(|c| c.clamp(0.0, 255.0) as u8)
}
