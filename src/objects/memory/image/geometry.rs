//! The shape of an image, and where in memory its texels lie. Pure arithmetic.

use khronos_headers as cl;
use oxicl_caps::ImageLimits;
use oxicl_texel::Format;

use super::super::region::{Extent, Placement, ranges_overlap};
use crate::ApiError;

/// Types of image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageType {
    /// A row.
    D1,
    /// A row that is a buffer.
    Buffer,
    /// Rows.
    D1Array,
    /// Rows and columns.
    D2,
    /// Several of these.
    D2Array,
    /// Rows, columns and slices.
    D3,
}

impl ImageType {
    /// The type with this `cl_mem_object_type`, if it is one of an image.
    pub fn new(image_type: cl::cl_mem_object_type) -> Option<Self> {
        Some(match image_type {
            cl::CL_MEM_OBJECT_IMAGE1D => ImageType::D1,
            cl::CL_MEM_OBJECT_IMAGE1D_BUFFER => ImageType::Buffer,
            cl::CL_MEM_OBJECT_IMAGE1D_ARRAY => ImageType::D1Array,
            cl::CL_MEM_OBJECT_IMAGE2D => ImageType::D2,
            cl::CL_MEM_OBJECT_IMAGE2D_ARRAY => ImageType::D2Array,
            cl::CL_MEM_OBJECT_IMAGE3D => ImageType::D3,
            _ => return None,
        })
    }

    /// Its `cl_mem_object_type`.
    pub fn object_type(self) -> cl::cl_mem_object_type {
        match self {
            ImageType::D1 => cl::CL_MEM_OBJECT_IMAGE1D,
            ImageType::Buffer => cl::CL_MEM_OBJECT_IMAGE1D_BUFFER,
            ImageType::D1Array => cl::CL_MEM_OBJECT_IMAGE1D_ARRAY,
            ImageType::D2 => cl::CL_MEM_OBJECT_IMAGE2D,
            ImageType::D2Array => cl::CL_MEM_OBJECT_IMAGE2D_ARRAY,
            ImageType::D3 => cl::CL_MEM_OBJECT_IMAGE3D,
        }
    }

    /// Whether images of this type have rows.
    pub fn has_height(self) -> bool {
        matches!(self, ImageType::D2 | ImageType::D2Array | ImageType::D3)
    }

    /// Whether they are several.
    pub fn is_array(self) -> bool {
        matches!(self, ImageType::D1Array | ImageType::D2Array)
    }

    /// Whether they have a slice pitch: the bytes of a slice, or of an image of the array.
    pub fn has_slices(self) -> bool {
        self.is_array() || self == ImageType::D3
    }
}

/// `cl_image_desc` without the memory object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageDesc {
    /// `image_type`, as the application gave it.
    pub image_type: cl::cl_mem_object_type,
    /// Texels in a row.
    pub width: usize,
    /// Rows, if the type has such. The same holds for what follows.
    pub height: usize,
    /// Slices.
    pub depth: usize,
    /// Images.
    pub array_size: usize,
    /// Bytes from a row to the next; zero for tightly packed.
    pub row_pitch: usize,
    /// Bytes from a slice or an image to the next; zero for tightly packed.
    pub slice_pitch: usize,
    /// Levels of detail; zero for one.
    pub mip_levels: u32,
    /// Samples of a texel: zero.
    pub samples: u32,
}

/// The shape of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Its type.
    pub image_type: ImageType,
    /// Its format.
    pub format: Format,
    /// Texels in a row.
    pub width: usize,
    /// Rows; 1 if the type has none.
    pub height: usize,
    /// Slices; 1 if the type has none.
    pub depth: usize,
    /// Images; 1 if the type is no array.
    pub layers: usize,
    /// Bytes from a row to the next.
    pub row_pitch: usize,
    /// Bytes from a slice or an image to the next; for the others, of all of it.
    pub slice_pitch: usize,
    /// Levels of detail, of which this is the first: each lies behind the one before, tightly packed, and has half its
    /// sides, rounded down. As described: 0 and 1 both mean one.
    pub levels: u32,
}

/// Part of an image, as commands name it. In an array of rows the image is where else the row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageRegion {
    /// Level of detail.
    pub level: usize,
    /// First texel.
    pub origin: [usize; 3],
    /// Texels, rows, slices.
    pub region: [usize; 3],
}

impl ImageRegion {
    /// Whether two parts of an image have a texel in common.
    pub(in super::super) fn overlaps(&self, other: &ImageRegion) -> bool {
        let side_overlaps = |side: usize| {
            let range = |part: &ImageRegion| {
                let (origin, region) = (part.origin, part.region);
                origin[side]..origin[side].saturating_add(region[side])
            };
            ranges_overlap(&range(self), &range(other))
        };
        self.level == other.level && (0..3).all(side_overlaps)
    }
}

/// Levels of detail that an image can have. The specification names no most: they may go on behind the one that has a
/// single texel, and have one too.
const MOST_LEVELS: u32 = 32;

fn descriptor(why: &'static str) -> ApiError {
    ApiError::InvalidImageDescriptor.because(why)
}

impl Geometry {
    /// The shape that a description means. Pitches may be chosen only where the memory is there already.
    ///
    /// # Errors
    /// `CL_INVALID_IMAGE_DESCRIPTOR` if the description contradicts itself; `CL_INVALID_IMAGE_SIZE` for a side that is zero
    /// or too large.
    pub fn new(desc: &ImageDesc, format: Format, limits: &ImageLimits, may_have_pitch: bool) -> Result<Self, ApiError> {
        let image_type = ImageType::new(desc.image_type).ok_or_else(|| descriptor("there is no such type of image"))?;
        if desc.samples != 0 {
            return Err(descriptor("an image has one sample of each texel"));
        }
        if !may_have_pitch && (desc.row_pitch != 0 || desc.slice_pitch != 0) {
            return Err(descriptor("there is a pitch, but no memory that it is the pitch of"));
        }
        let only = |there: bool, side: usize| if there { side } else { 1 };
        let (width, height) = (desc.width, only(image_type.has_height(), desc.height));
        let (depth, layers) =
            (only(image_type == ImageType::D3, desc.depth), only(image_type.is_array(), desc.array_size));
        let (most_wide, most_high) = match image_type {
            ImageType::Buffer => (limits.max_buffer, 1),
            ImageType::D3 => (limits.max_3d, limits.max_3d),
            _ => (limits.max_2d, limits.max_2d),
        };
        for (side, most) in
            [(width, most_wide), (height, most_high), (depth, limits.max_3d), (layers, limits.max_layers)]
        {
            if side == 0 || side > most as usize {
                return Err(ApiError::InvalidImageSize.because("a side is zero, or larger than those of any device"));
            }
        }
        let texel = format.bytes();
        // None of these overflows: sides are below 2^32.
        let packed = width * texel;
        let row_pitch = if desc.row_pitch == 0 { packed } else { desc.row_pitch };
        if row_pitch < packed || !row_pitch.is_multiple_of(texel) {
            return Err(descriptor("the row pitch holds no row, or no whole number of texels"));
        }
        let rows = row_pitch.checked_mul(height).ok_or_else(|| descriptor("the row pitch is too large"))?;
        let slice_pitch = if desc.slice_pitch == 0 || !image_type.has_slices() { rows } else { desc.slice_pitch };
        if slice_pitch < rows || !slice_pitch.is_multiple_of(row_pitch) {
            return Err(descriptor("the slice pitch holds no slice, or no whole number of rows"));
        }
        if slice_pitch.checked_mul(depth * layers).is_none() {
            return Err(descriptor("the slice pitch is too large"));
        }
        let levels = desc.mip_levels;
        if levels > 1 && (image_type == ImageType::Buffer || format.is_depth()) {
            return Err(descriptor("buffers and depths have no levels of detail"));
        }
        if levels > 1 && (row_pitch != packed || slice_pitch != rows) {
            return Err(descriptor("levels of detail are tightly packed"));
        }
        if levels > MOST_LEVELS {
            return Err(descriptor("there are more levels of detail than any image can need"));
        }
        Ok(Geometry { image_type, format, width, height, depth, layers, row_pitch, slice_pitch, levels })
    }

    /// The next level of detail of one that stands by itself.
    fn next_level(&self) -> Geometry {
        let half = |side: usize| (side / 2).max(1);
        let (width, height, depth) = (half(self.width), half(self.height), half(self.depth));
        let row_pitch = width * self.format.bytes();
        Geometry { width, height, depth, row_pitch, slice_pitch: row_pitch * height, ..*self }
    }

    /// The levels of detail from the first, each as an image of its own, and where it starts in the image.
    pub fn all_levels(&self) -> impl Iterator<Item = (Geometry, usize)> {
        let first = (Geometry { levels: 1, ..*self }, 0);
        let levels =
            std::iter::successors(Some(first), |(level, start)| Some((level.next_level(), start + level.bytes())));
        levels.take(self.levels.max(1) as usize)
    }

    /// One of these; none if there is no such level.
    pub fn level(&self, level: usize) -> Option<(Geometry, usize)> {
        self.all_levels().nth(level)
    }

    /// Bytes of all slices or images.
    pub fn bytes(&self) -> usize {
        let one = self.slice_pitch * self.depth * self.layers;
        if self.levels <= 1 { one } else { self.all_levels().map(|(level, _)| level.bytes()).sum() }
    }

    /// Bytes up to the end of the last texel.
    pub fn reach(&self) -> usize {
        if self.levels > 1 {
            return self.bytes();
        }
        let rows = (self.height - 1) * self.row_pitch + self.width * self.format.bytes();
        (self.depth * self.layers - 1) * self.slice_pitch + rows
    }

    /// Which component of an origin is the level of detail; none if there is only one level.
    pub fn level_component(&self) -> Option<usize> {
        (self.levels > 1).then_some(match self.image_type {
            ImageType::D1 | ImageType::Buffer => 1,
            ImageType::D1Array | ImageType::D2 => 2,
            ImageType::D2Array | ImageType::D3 => 3,
        })
    }

    /// Texels, rows, slices, as regions have them.
    pub fn sides(&self) -> [usize; 3] {
        match self.image_type {
            ImageType::D1Array => [self.width, self.layers, 1],
            _ => [self.width, self.height, self.depth * self.layers],
        }
    }

    /// Bytes from a row and from a slice of a region to the next.
    fn pitches(&self) -> (usize, usize) {
        match self.image_type {
            ImageType::D1Array => (self.slice_pitch, self.slice_pitch * self.layers),
            _ => (self.row_pitch, self.slice_pitch),
        }
    }

    /// The bytes of a region: extent and place.
    ///
    /// # Errors
    /// `CL_INVALID_MIP_LEVEL`; `CL_INVALID_VALUE` if a side is zero, or the region reaches beyond the image.
    pub(in super::super) fn place(&self, part: ImageRegion) -> Result<(Extent, Placement), ApiError> {
        let (level, first) = self.level(part.level).ok_or(ApiError::InvalidMipLevel)?;
        let [width, height, depth] = part.region;
        let extent = Extent::new([width, height, depth])?;
        let beyond = || ApiError::InvalidValue.because("the region reaches beyond the image");
        for (side, (start, length)) in level.sides().into_iter().zip(part.origin.into_iter().zip(part.region)) {
            let end = start.checked_add(length).ok_or_else(beyond)?;
            if end > side {
                return Err(beyond());
            }
        }
        let texel = self.format.bytes();
        let (row_pitch, slice_pitch) = level.pitches();
        let [x, y, z] = part.origin;
        let start = first + z * slice_pitch + y * row_pitch + x * texel;
        Ok((Extent { width: width * texel, ..extent }, Placement { start, row_pitch, slice_pitch }))
    }

    /// The place of a region, whose extent is in bytes, in memory of the application.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for pitches that do not hold the region.
    pub(in super::super) fn host_place(
        &self,
        extent: Extent,
        row_pitch: usize,
        slice_pitch: usize,
    ) -> Result<Placement, ApiError> {
        let wrong = |why: &'static str| ApiError::InvalidValue.because(why);
        if slice_pitch != 0 && !self.image_type.has_slices() {
            return Err(wrong("the image has no slices, but there is a slice pitch"));
        }
        let row_pitch = if row_pitch == 0 { extent.width } else { row_pitch };
        if row_pitch < extent.width {
            return Err(wrong("a row pitch is less than a row of the region"));
        }
        let array_of_rows = self.image_type == ImageType::D1Array;
        let rows = if array_of_rows { 1 } else { extent.height };
        let slice = row_pitch.checked_mul(rows).ok_or(ApiError::InvalidValue)?;
        let slice_pitch = if slice_pitch == 0 { slice } else { slice_pitch };
        if slice_pitch < slice {
            return Err(wrong("a slice pitch is less than a slice of the region"));
        }
        let place = if array_of_rows {
            let all = slice_pitch.checked_mul(extent.height).ok_or(ApiError::InvalidValue)?;
            Placement { start: 0, row_pitch: slice_pitch, slice_pitch: all }
        } else {
            Placement { start: 0, row_pitch, slice_pitch }
        };
        place.end(extent).ok_or(ApiError::InvalidValue)?;
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> ImageLimits {
        oxicl_caps::DeviceCaps::example().limits.images
    }

    fn desc(image_type: u32, sides: [usize; 4]) -> ImageDesc {
        let [width, height, depth, array_size] = sides;
        let (row_pitch, slice_pitch, mip_levels, samples) = (0, 0, 0, 0);
        ImageDesc { image_type, width, height, depth, array_size, row_pitch, slice_pitch, mip_levels, samples }
    }

    fn rgba() -> Format {
        Format::new(cl::CL_RGBA, cl::CL_UNORM_INT8).expect("a format")
    }

    fn geometry(desc: ImageDesc) -> Result<Geometry, ApiError> {
        Geometry::new(&desc, rgba(), &limits(), true)
    }

    #[test]
    fn a_type_has_only_its_own_sides() {
        for (image_type, sides, bytes) in [
            (cl::CL_MEM_OBJECT_IMAGE1D, [5, 1, 1], 20),
            (cl::CL_MEM_OBJECT_IMAGE1D_BUFFER, [5, 1, 1], 20),
            (cl::CL_MEM_OBJECT_IMAGE1D_ARRAY, [5, 4, 1], 80),
            (cl::CL_MEM_OBJECT_IMAGE2D, [5, 2, 1], 40),
            (cl::CL_MEM_OBJECT_IMAGE2D_ARRAY, [5, 2, 4], 160),
            (cl::CL_MEM_OBJECT_IMAGE3D, [5, 2, 3], 120),
        ] {
            let geometry = geometry(desc(image_type, [5, 2, 3, 4])).expect("valid");
            assert_eq!(
                (geometry.sides(), geometry.bytes(), geometry.reach()),
                (sides, bytes, bytes),
                "{image_type:#x}"
            );
        }
    }

    #[test]
    fn sides_are_neither_zero_nor_too_large() {
        let limit = limits();
        let (flat, deep) = (limit.max_2d as usize, limit.max_3d as usize);
        for (image_type, sides, error) in [
            (cl::CL_MEM_OBJECT_IMAGE2D, [0, 1, 0, 0], ApiError::InvalidImageSize),
            (cl::CL_MEM_OBJECT_IMAGE2D, [1, 0, 0, 0], ApiError::InvalidImageSize),
            (cl::CL_MEM_OBJECT_IMAGE3D, [1, 1, 0, 0], ApiError::InvalidImageSize),
            (cl::CL_MEM_OBJECT_IMAGE1D_ARRAY, [1, 0, 0, 0], ApiError::InvalidImageSize),
            (cl::CL_MEM_OBJECT_IMAGE2D, [flat + 1, 1, 0, 0], ApiError::InvalidImageSize),
            (cl::CL_MEM_OBJECT_IMAGE1D, [flat + 1, 0, 0, 0], ApiError::InvalidImageSize),
            (cl::CL_MEM_OBJECT_IMAGE3D, [1, deep + 1, 1, 0], ApiError::InvalidImageSize),
            (cl::CL_MEM_OBJECT_IMAGE1D_BUFFER, [limit.max_buffer as usize + 1, 0, 0, 0], ApiError::InvalidImageSize),
            (cl::CL_MEM_OBJECT_BUFFER, [1, 1, 1, 1], ApiError::InvalidImageDescriptor),
        ] {
            assert_eq!(geometry(desc(image_type, sides)), Err(error), "{image_type:#x} {sides:?}");
        }
        assert!(geometry(desc(cl::CL_MEM_OBJECT_IMAGE1D_BUFFER, [flat + 1, 0, 0, 0])).is_ok());
    }

    #[test]
    fn pitches_hold_rows_and_slices() {
        let with = |row_pitch, slice_pitch| {
            geometry(ImageDesc { row_pitch, slice_pitch, ..desc(cl::CL_MEM_OBJECT_IMAGE3D, [5, 2, 3, 0]) })
        };
        for (row, slice) in
            [(16, 0), (22, 0), (20, 39), (20, 50), (24, 40), (usize::MAX - 3, 0), (20, usize::MAX / 40 * 20)]
        {
            assert_eq!(with(row, slice), Err(ApiError::InvalidImageDescriptor), "{row} {slice}");
        }
        let image = with(24, 72).expect("valid");
        assert_eq!((image.bytes(), image.reach()), (216, 144 + 24 + 20));
        let desc = ImageDesc { row_pitch: 24, ..desc(cl::CL_MEM_OBJECT_IMAGE2D, [5, 2, 0, 0]) };
        assert!(Geometry::new(&desc, rgba(), &limits(), false).is_err());
    }

    #[test]
    fn a_region_lies_inside_the_image_and_is_not_empty() {
        let image = geometry(desc(cl::CL_MEM_OBJECT_IMAGE1D_ARRAY, [5, 0, 0, 4])).expect("valid");
        let place = |origin, region| image.place(ImageRegion { level: 0, origin, region });
        let (extent, at) = place([1, 2, 0], [3, 2, 1]).expect("inside");
        assert_eq!(extent, Extent { width: 12, height: 2, depth: 1 });
        assert_eq!((at.start, at.row_pitch), (44, 20));
        for (origin, region) in [
            ([0, 0, 0], [0, 1, 1]),
            ([0, 0, 0], [6, 1, 1]),
            ([0, 0, 0], [5, 5, 1]),
            ([0, 0, 0], [5, 4, 2]),
            ([0, 0, 1], [1, 1, 1]),
            ([usize::MAX, 0, 0], [2, 1, 1]),
        ] {
            assert_eq!(place(origin, region).err(), Some(ApiError::InvalidValue), "{origin:?} {region:?}");
        }
    }

    #[test]
    fn pitches_of_the_application_hold_the_region() {
        let extent = Extent { width: 12, height: 2, depth: 3 };
        let volume = geometry(desc(cl::CL_MEM_OBJECT_IMAGE3D, [5, 2, 3, 0])).expect("valid");
        assert_eq!(volume.host_place(extent, 0, 0), Ok(Placement { start: 0, row_pitch: 12, slice_pitch: 24 }));
        assert_eq!(volume.host_place(extent, 13, 30), Ok(Placement { start: 0, row_pitch: 13, slice_pitch: 30 }));
        for (row, slice) in [(11, 0), (12, 23), (usize::MAX, 0), (12, usize::MAX)] {
            assert_eq!(volume.host_place(extent, row, slice), Err(ApiError::InvalidValue), "{row} {slice}");
        }
        let rows = geometry(desc(cl::CL_MEM_OBJECT_IMAGE1D_ARRAY, [5, 0, 0, 4])).expect("valid");
        let extent = Extent { width: 12, height: 2, depth: 1 };
        assert_eq!(rows.host_place(extent, 16, 32), Ok(Placement { start: 0, row_pitch: 32, slice_pitch: 64 }));
        assert_eq!(rows.host_place(extent, 16, 0), Ok(Placement { start: 0, row_pitch: 16, slice_pitch: 32 }));
        let flat = geometry(desc(cl::CL_MEM_OBJECT_IMAGE2D, [5, 2, 0, 0])).expect("valid");
        assert_eq!(flat.host_place(extent, 0, 24), Err(ApiError::InvalidValue));
    }
    #[test]
    fn levels_lie_one_after_the_other_and_have_half_the_sides() {
        let of = |image_type, sides, mip_levels| geometry(ImageDesc { mip_levels, ..desc(image_type, sides) });
        let image = of(cl::CL_MEM_OBJECT_IMAGE2D_ARRAY, [13, 5, 1, 3], 4).expect("valid");
        let shapes: Vec<_> =
            image.all_levels().map(|(level, start)| (level.sides(), level.row_pitch, start, level.levels)).collect();
        assert_eq!(
            shapes,
            [([13, 5, 3], 52, 0, 1), ([6, 2, 3], 24, 780, 1), ([3, 1, 3], 12, 924, 1), ([1, 1, 3], 4, 960, 1)]
        );
        assert_eq!((image.bytes(), image.reach(), image.sides()), (972, 972, [13, 5, 3]));
        let volume = of(cl::CL_MEM_OBJECT_IMAGE3D, [4, 2, 8, 0], 4).expect("valid");
        assert_eq!(volume.all_levels().map(|(level, _)| level.sides()).last(), Some([1, 1, 1]));
        let dot = of(cl::CL_MEM_OBJECT_IMAGE2D, [1, 2, 0, 0], MOST_LEVELS).expect("valid");
        assert_eq!((dot.bytes(), dot.all_levels().count()), (8 + 31 * 4, 32));
        let part = |level, region| ImageRegion { level, origin: [0; 3], region };
        assert_eq!(image.place(part(1, [6, 2, 3])).map(|(_, at)| (at.start, at.slice_pitch)), Ok((780, 48)));
        assert_eq!(image.place(part(1, [7, 2, 3])).err(), Some(ApiError::InvalidValue));
        assert_eq!(image.place(part(4, [1, 1, 1])).err(), Some(ApiError::InvalidMipLevel));
        assert!(!part(0, [1, 1, 1]).overlaps(&part(1, [1, 1, 1])));
        for (image_type, sides, levels) in [
            (cl::CL_MEM_OBJECT_IMAGE1D, [1, 0, 0, 0], MOST_LEVELS + 1),
            (cl::CL_MEM_OBJECT_IMAGE1D_BUFFER, [8, 0, 0, 0], 2),
            (cl::CL_MEM_OBJECT_IMAGE2D, [8, 8, 0, 0], u32::MAX),
        ] {
            assert_eq!(of(image_type, sides, levels), Err(ApiError::InvalidImageDescriptor), "{image_type:#x}");
        }
    }
}
