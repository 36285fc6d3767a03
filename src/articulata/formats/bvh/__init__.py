"""BVH: Biovision's motions, a hierarchy of bones and their numbers frame by frame."""
