// Forces as arrows, with dots where contacts press. What a body hides shines through faintly.

const ARROW_VERTEX = `#version 300 es
layout(location=0) in vec3 vertex; layout(location=1) in vec3 start;
layout(location=2) in vec3 along; layout(location=3) in vec3 color;
uniform mat4 camera; uniform float thick;
out vec3 n, paint;
void main() {
  float length_ = length(along), head = min(7.0 * thick, 0.5 * length_);
  vec3 z = along / length_;
  vec3 x = normalize(abs(z.x) < 0.9 ? cross(z, vec3(1.0, 0.0, 0.0)) : cross(z, vec3(0.0, 1.0, 0.0)));
  n = vertex.x * x + vertex.y * cross(z, x);
  paint = color;
  // Stations of the outline: the foot, the end of the shaft, the tip.
  float at = vertex.z < 0.5 ? 0.0 : vertex.z < 1.5 ? length_ - head : length_;
  gl_Position = camera * vec4(start + thick * n + at * z, 1.0);
}`;

const ARROW_FRAGMENT = `#version 300 es
precision highp float;
in vec3 n, paint;
uniform vec3 toSun; uniform float alpha;
out vec4 result;
void main() { result = vec4(paint * (0.82 + 0.18 * dot(normalize(n), toSun)), alpha); }`;

const DOT_VERTEX = `#version 300 es
layout(location=1) in vec3 start; layout(location=3) in vec3 color;
uniform mat4 camera; uniform float size;
out vec3 paint;
void main() { paint = color; gl_Position = camera * vec4(start, 1.0); gl_PointSize = size; }`;

const DOT_FRAGMENT = `#version 300 es
precision highp float;
in vec3 paint;
out vec4 result;
void main() {
  float r = length(gl_PointCoord - 0.5);
  if (r > 0.5) discard;
  result = vec4(r > 0.36 ? vec3(1.0) : paint, 1.0);
}`;

const ARROW = 9; // x y z of the foot, x y z along, r g b
const SHARE = 0.2; // length of a usual arrow as a share of the scene's size

// Triangles (x, y, station): a shaft of radius 1 and a head of radius 2.6.
function arrowOutline(sides) {
  const out = [];
  const rim = (i, r, station) => { const a = (2 * Math.PI * i) / sides; return [r * Math.cos(a), r * Math.sin(a), station]; };
  for (let i = 0; i < sides; i++) {
    const foot = [rim(i, 1, 0), rim(i + 1, 1, 0)], neck = [rim(i, 1, 1), rim(i + 1, 1, 1)], brim = [rim(i, 2.6, 1), rim(i + 1, 2.6, 1)];
    out.push(foot[0], foot[1], neck[0], neck[0], foot[1], neck[1], brim[0], brim[1], [0, 0, 2], brim[1], brim[0], [0, 0, 1], foot[1], foot[0], [0, 0, 0]);
  }
  return new Float32Array(out.flat());
}

class Arrows {
  constructor(gl, recording) {
    Object.assign(this, { gl, recording, shown: new Set(), drawn: 0, dots: 0 });
    this.arrows = program(gl, ARROW_VERTEX, ARROW_FRAGMENT);
    this.points = program(gl, DOT_VERTEX, DOT_FRAGMENT);
    this.size = 2 * recording.scene.radius;
    const usual = Math.max(...recording.arrows.map((each) => each.usual));
    this.scale = (SHARE * this.size) / usual;
    this.data = new Float32Array(ARROW * recording.arrows.reduce((sum, each) => sum + each.count, 0));
    const outline = arrowOutline(12);
    this.count = outline.length / 3;
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    const shape = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, shape);
    gl.bufferData(gl.ARRAY_BUFFER, outline, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    this.instances = gl.createBuffer();
    this.attributes(1);
    this.dotArray = gl.createVertexArray();
    gl.bindVertexArray(this.dotArray);
    this.attributes(0);
    gl.bindVertexArray(null);
  }

  attributes(divisor) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    for (const [where, offset] of [[1, 0], [2, 3], [3, 6]]) {
      gl.enableVertexAttribArray(where);
      gl.vertexAttribPointer(where, 3, gl.FLOAT, false, ARROW * 4, offset * 4);
      gl.vertexAttribDivisor(where, divisor);
    }
  }

  // Take the forces of `frame`; contacts come first, so that their dots are the first instances.
  place(frame) {
    const { gl, data, recording } = this;
    let n = 0;
    this.dots = 0;
    for (const each of recording.arrows) {
      if (!this.shown.has(each.kind)) continue;
      const most = each.longest * SHARE * this.size;
      for (let i = 0; i < each.count; i++) {
        const at = (frame * each.count + i) * 6, v = each.values;
        const force = Math.hypot(v[at + 3], v[at + 4], v[at + 5]);
        if (!(force * this.scale > 0) || !Number.isFinite(v[at])) continue;
        const scale = Math.min(this.scale, most / force);
        for (let k = 0; k < 3; k++) { data[n + k] = v[at + k]; data[n + 3 + k] = v[at + 3 + k] * scale; data[n + 6 + k] = each.color[k]; }
        n += ARROW;
      }
      if (each.kind === "contact") this.dots = n / ARROW;
    }
    this.drawn = n / ARROW;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    gl.bufferData(gl.ARRAY_BUFFER, data.subarray(0, n), gl.DYNAMIC_DRAW);
  }

  draw(matrix, toSun, scale) {
    const { gl } = this;
    if (!this.drawn) return;
    gl.useProgram(this.arrows.made);
    gl.uniformMatrix4fv(this.arrows.at.camera, false, matrix);
    gl.uniform1f(this.arrows.at.thick, 0.004 * this.size);
    gl.uniform3fv(this.arrows.at.toSun, toSun);
    gl.bindVertexArray(this.array);
    const paint = (alpha) => { gl.uniform1f(this.arrows.at.alpha, alpha); gl.drawArraysInstanced(gl.TRIANGLES, 0, this.count, this.drawn); };
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthFunc(gl.GREATER);
    gl.depthMask(false);
    paint(0.4);
    gl.depthFunc(gl.LESS);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    paint(1);
    if (this.dots) {
      gl.useProgram(this.points.made);
      gl.uniformMatrix4fv(this.points.at.camera, false, matrix);
      gl.uniform1f(this.points.at.size, 10 * scale);
      gl.bindVertexArray(this.dotArray);
      gl.disable(gl.DEPTH_TEST);
      gl.drawArrays(gl.POINTS, 0, this.dots);
      gl.enable(gl.DEPTH_TEST);
    }
    gl.bindVertexArray(null);
  }
}
