//! Tests of the built library through a real loader.
