"""ASF/AMC: Acclaim's skeletons and motions, as motion capture databases give them."""
