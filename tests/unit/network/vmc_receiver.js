// A receiver of VMC in JavaScript: reads one frame, and rebuilds the angles of both arms from it.
// Standard input: {"arms": {"Right": {"axes": [7 x [x, y, z]], "atT": [7 angles, rad]}, ...}}, axes
// in the avatar's own frame (x to its left, y up, z ahead) where all angles are 0.
"use strict";
const dgram = require("node:dgram");

function mul(A, B) {
  return A.map((row) => [0, 1, 2].map((j) => row[0] * B[0][j] + row[1] * B[1][j] + row[2] * B[2][j]));
}
const transposed = (A) => [0, 1, 2].map((i) => A.map((row) => row[i]));
const applied = (A, v) => A.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

function about([x, y, z], angle) {
  const c = Math.cos(angle), s = Math.sin(angle), k = 1 - c;
  return [
    [c + x * x * k, x * y * k - z * s, x * z * k + y * s],
    [y * x * k + z * s, c + y * y * k, y * z * k - x * s],
    [z * x * k - y * s, z * y * k + x * s, c + z * z * k],
  ];
}

function turned([x, y, z, w]) {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
    [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
    [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
  ];
}

// OSC by its specification
function messages(data) {
  if (data.toString("latin1", 0, 8) === "#bundle\0") {
    const found = [];
    for (let at = 16; at < data.length; ) {
      const size = data.readInt32BE(at);
      found.push(...messages(data.subarray(at + 4, at + 4 + size)));
      at += 4 + size;
    }
    return found;
  }
  let at = 0;
  const text = () => {
    const end = data.indexOf(0, at);
    const word = data.toString("utf8", at, end);
    at = end + 4 - (end % 4);
    return word;
  };
  const address = text();
  const values = [];
  for (const type of text().slice(1)) {
    if (type === "s") values.push(text());
    else {
      values.push(type === "f" ? data.readFloatBE(at) : data.readInt32BE(at));
      at += 4;
    }
  }
  return [{ address, values }];
}

// the mirror between the avatar's own frame and Unity's
const MIRROR = [[-1, 0, 0], [0, 1, 0], [0, 0, 1]];
const PARENT = {
  Spine: "Hips", Chest: "Spine", Neck: "Chest",
  LeftShoulder: "Chest", LeftUpperArm: "LeftShoulder", LeftLowerArm: "LeftUpperArm",
  LeftHand: "LeftLowerArm", RightShoulder: "Chest", RightUpperArm: "RightShoulder",
  RightLowerArm: "RightUpperArm", RightHand: "RightLowerArm",
};

function globally(bones, name) {
  const own = turned(bones[name].slice(4));
  return PARENT[name] ? mul(globally(bones, PARENT[name]), own) : own;
}

const product = (axes, angles) =>
  axes.reduce((R, axis, k) => mul(R, about(axis, angles[k])), [[1, 0, 0], [0, 1, 0], [0, 0, 1]]);

// R = exp(a b c): three axes at right angles, in the order of a frame's
function three([a, b, c], R) {
  const hand = dot(cross(a, b), c);
  const third = cross(a, b);
  const B = transposed([a, b, third]);
  const M = mul(transposed(B), mul(R, B));
  return [
    Math.atan2(-M[1][2], M[2][2]),
    Math.asin(M[0][2]),
    Math.sign(hand) * Math.atan2(-M[0][1], M[0][0]),
  ];
}

function two([a, b], R) {
  const moved = applied(R, b), back = applied(transposed(R), a);
  return [
    Math.atan2(dot(cross(b, moved), a), dot(b, moved)),
    -Math.atan2(dot(cross(a, back), b), dot(a, back)),
  ];
}

function arm(side, { axes, atT }, bones) {
  const back = transposed(globally(bones, `${side}Shoulder`));
  const [upper, fore, hand] = ["UpperArm", "LowerArm", "Hand"].map((part) =>
    mul(MIRROR, mul(mul(back, globally(bones, side + part)), MIRROR)));
  const E = (n) => product(axes.slice(0, n), atT);
  const U = mul(upper, E(3));
  const F = mul(transposed(U), mul(fore, E(5)));
  const H = mul(transposed(mul(U, F)), mul(hand, E(7)));
  return [...three(axes.slice(0, 3), U), ...two(axes.slice(3, 5), F), ...two(axes.slice(5, 7), H)];
}

let asked = "";
process.stdin.on("data", (part) => (asked += part));
process.stdin.on("end", () => {
  const { arms } = JSON.parse(asked);
  const socket = dgram.createSocket("udp4");
  const bones = {};
  socket.on("message", (data) => {
    for (const { address, values } of messages(data)) {
      if (address === "/VMC/Ext/Bone/Pos") bones[values[0]] = values;
    }
    if (bones.RightHand && bones.LeftHand && bones.Neck) {
      const found = {};
      for (const side of Object.keys(arms)) found[side] = arm(side, arms[side], bones);
      console.log(JSON.stringify(found));
      socket.close();
    }
  });
  socket.bind(0, "127.0.0.1", () => console.log(socket.address().port));
});
