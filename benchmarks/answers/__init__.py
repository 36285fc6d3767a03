"""Questions about contact and closed loops with known answers, put to us and to the peers.

Everyone runs at the same step with the settings that the package recommends or starts with; where
a package needs a setting to answer at all (a restitution, a stiffness) its note says which. World
axes: z up. The four questions:

- creep: a block of 0.2 m on a plane tilted by ``TILT`` with friction 0.5, which holds to 26.565
  degrees; the mean speed (m/s) of the third second. True: 0.
- apex: a ball of 0.1 m that falls from a gap of 1 m with restitution 1; the height of the fifth
  apex as a share of the first gap. True: 1.
- cradle: five equal balls that touch, the first comes with 1 m/s, restitution 1; speeds after.
  True of steel balls in a row: 0, 0, 0, 0, 1.
- loop: a four-bar linkage of thin bars of 1 m, turned with 1 m/s at the top; the largest distance
  (m) between the two sides of its joints in ten seconds. True: 0.
"""
