"""Texts to read: the same content for us and, where it exists, for a peer."""

from __future__ import annotations

PAGE = """
-- one page of a library: a part, an assembly of it, a world and a question about it
primitive rod{k}(length: length = 1 m, width: length = 5 cm) {{
  properties: (material: steel, color: red)
  geometry: cuboid(width, length, width) where {{
    top: (0, length/2, 0)
    bottom: (0, -length/2, 0)
    axis spin: ((0, 0, 0), z)
  }}
  dynamics
}}

composite pendulum{k}(n = 3) {{
  components
    anchor: fixed_point
    rod[1..n]: rod{k}(length: 0.5 m)
  structure {{
    join rod[1] to anchor with pin(axis: z) matching (top, center)
    for i in 2..n {{ join rod[i] to rod[i-1] with pin(axis: z) matching (top, bottom) }}
    force spring between rod[1].top and rod[2].bottom = -100 N/m * (distance - 1 m)
  }}
}}

world swing{k}(start = 90) {{
  gravity: (0, -9.81, 0)
  components p: pendulum{k}(3); floor: ground
  structure {{ place p by p.anchor at (0, 2, 0), p.rod[1].angle = start }}
}}

simulate swing{k}(60) {{
  time: (1 ms, 10 s)
  report: animation every 20 ms, events, monitor energy, forces of p.rod[1].top
  on contact(p.rod[3], floor): break p.rod[3].top
}}
"""

HEAD = """units: metre, kilogram, second, degree
let steel = material(density: 7850 kg/m^3, friction: 0.3, restitution: 0.6)
"""


def library(pages: int) -> str:
    """Return a text of many definitions, some 35 lines a page."""
    return HEAD + "".join(PAGE.format(k=k) for k in range(pages))


def mujoco_library(pages: int) -> str:
    """Return as many pendulums as XML for MuJoCo, one element a line."""
    bodies = "\n".join(
        f"""<body name="a{k}" pos="{k} 0 2">
  <joint name="j{k}a" type="hinge" axis="0 0 1"/>
  <geom name="g{k}a" type="box" size="0.025 0.25 0.025" density="7850" rgba="1 0 0 1"/>
  <site name="s{k}a" pos="0 0.25 0"/>
  <body name="b{k}" pos="0 -0.5 0">
    <joint name="j{k}b" type="hinge" axis="0 0 1"/>
    <geom name="g{k}b" type="box" size="0.025 0.25 0.025" density="7850" rgba="1 0 0 1"/>
    <site name="s{k}b" pos="0 0.25 0"/>
    <body name="c{k}" pos="0 -0.5 0">
      <joint name="j{k}c" type="hinge" axis="0 0 1"/>
      <geom name="g{k}c" type="box" size="0.025 0.25 0.025" density="7850" rgba="1 0 0 1"/>
      <site name="s{k}c" pos="0 0.25 0"/>
    </body>
  </body>
</body>"""
        for k in range(pages)
    )
    return f"<mujoco>\n<worldbody>\n{bodies}\n</worldbody>\n</mujoco>\n"


def chains(count: int, bodies: int) -> str:
    """Return a world of chains of rods, hung up side by side."""
    return (
        HEAD
        + PAGE.format(k=0)
        + f"""
world hanging {{
  gravity: (0, -9.81, 0)
  components p[1..{count}]: pendulum0({bodies})
  structure {{ for i in 1..{count} {{ place p[i] by p[i].anchor at (i, 2, 0) }} }}
}}
"""
    )


def mujoco_chains(count: int, bodies: int) -> str:
    """Return the same chains as XML for MuJoCo (which reads some hundred levels, not thousands)."""
    inside = (
        '<joint type="hinge" axis="0 0 1" pos="0 0.25 0"/>'
        '<geom type="box" size="0.025 0.25 0.025" density="7850"/>'
    )
    later = f'<body pos="0 -0.5 0">{inside}' * (bodies - 1)
    chains = "".join(
        f'<body pos="{k} 1.75 0">{inside}{later}{"</body>" * bodies}' for k in range(count)
    )
    return f'<mujoco><option gravity="0 -9.81 0"/><worldbody>{chains}</worldbody></mujoco>'


def urdf_chain(bodies: int) -> str:
    """Return one such chain as URDF."""
    links = "".join(
        f'<link name="b{k}"><inertial><mass value="9.8"/>'
        '<inertia ixx="0.2" iyy="0.004" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        for k in range(bodies)
    )
    joints = "".join(
        f'<joint name="j{k}" type="continuous"><parent link="b{k - 1}"/><child link="b{k}"/>'
        '<origin xyz="0 -0.5 0"/><axis xyz="0 0 1"/></joint>'
        for k in range(1, bodies)
    )
    return f'<robot name="chain">{links}{joints}</robot>'
