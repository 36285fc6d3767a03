// The scene in WebGL 2: every mesh drawn once for all bodies that share it, a sun that casts a
// shadow, and a ground with a grid that fades into the paper.

const TURN = `
vec3 turn(vec4 q, vec3 v) { vec3 t = 2.0 * cross(q.yzw, v); return v + q.x * t + cross(q.yzw, t); }
`;

const MESH_VERTEX = `#version 300 es
layout(location=0) in vec3 vertex; layout(location=1) in vec3 normal;
layout(location=2) in vec3 position; layout(location=3) in vec4 orientation; layout(location=4) in vec3 color;
uniform mat4 camera, sun;
out vec3 n, paint, place; out vec4 lit;
${TURN}
void main() {
  place = position + turn(orientation, vertex);
  n = turn(orientation, normal);
  paint = color;
  lit = sun * vec4(place, 1.0);
  gl_Position = camera * vec4(place, 1.0);
}`;

const SHADE = `
uniform highp sampler2DShadow shadow;
float sunlight(vec4 lit, float slope) {
  vec3 at = lit.xyz / lit.w * 0.5 + 0.5;
  if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
  float sum = 0.0, size = 1.0 / float(textureSize(shadow, 0).x), bias = 0.0012 + 0.004 * slope;
  for (int i = -2; i <= 2; i++) for (int j = -2; j <= 2; j++)
    sum += texture(shadow, vec3(at.xy + vec2(i, j) * size * 1.2, at.z - bias));
  return sum / 25.0;
}`;

const MESH_FRAGMENT = `#version 300 es
precision highp float;
in vec3 n, paint, place; in vec4 lit;
uniform vec3 toSun, up, eye;
out vec4 result;
${SHADE}
void main() {
  vec3 m = normalize(n), view = normalize(eye - place);
  if (dot(m, view) < 0.0) m = -m;
  float facing = max(dot(m, toSun), 0.0);
  float light = facing * sunlight(lit, 1.0 - facing);
  float sky = 0.5 + 0.5 * dot(m, up);
  vec3 half_ = normalize(toSun + view);
  float gleam = pow(max(dot(m, half_), 0.0), 48.0) * light * 0.22;
  vec3 base = pow(paint, vec3(2.2));
  vec3 lin = base * (mix(vec3(0.20, 0.21, 0.24), vec3(0.42, 0.45, 0.50), sky) + 0.78 * light) + gleam;
  result = vec4(pow(lin, vec3(1.0 / 2.2)), 1.0);
}`;

const DEPTH_VERTEX = `#version 300 es
layout(location=0) in vec3 vertex; layout(location=2) in vec3 position; layout(location=3) in vec4 orientation;
uniform mat4 sun;
${TURN}
void main() { gl_Position = sun * vec4(position + turn(orientation, vertex), 1.0); }`;

const DEPTH_FRAGMENT = `#version 300 es
precision highp float; void main() {}`;

const GROUND_VERTEX = `#version 300 es
layout(location=0) in vec2 corner;
uniform mat4 camera, sun; uniform vec3 center, across, along; uniform float size;
out vec2 at; out vec4 lit;
void main() {
  vec3 place = center + size * (corner.x * across + corner.y * along);
  at = vec2(dot(place, across), dot(place, along));
  lit = sun * vec4(place, 1.0);
  gl_Position = camera * vec4(place, 1.0);
}`;

const GROUND_FRAGMENT = `#version 300 es
precision highp float;
in vec2 at; in vec4 lit;
uniform vec3 paper, line; uniform vec2 middle; uniform float cell, reach, dark;
out vec4 result;
${SHADE}
float lines(float every) {
  vec2 f = at / every, w = max(fwidth(f), 1e-6), d = abs(fract(f - 0.5) - 0.5) / w;
  // Fade where a cell is smaller than two pixels: no moire on the horizon.
  vec2 ink = (1.0 - min(d, 1.0)) * clamp(0.5 / w - 1.0, 0.0, 1.0);
  return max(ink.x, ink.y);
}
void main() {
  float far = 1.0 - smoothstep(0.35, 1.0, length(at - middle) / reach);
  float ink = max(0.45 * lines(cell), 0.9 * lines(cell * 5.0)) * far;
  vec3 color = mix(paper, line, ink);
  color *= 1.0 - dark * (1.0 - sunlight(lit, 0.0)) * far;
  result = vec4(color, 1.0);
}`;

function program(gl, vertex, fragment) {
  const made = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  const at = {};
  const count = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS);
  for (let i = 0; i < count; i++) {
    const name = gl.getActiveUniform(made, i).name;
    at[name] = gl.getUniformLocation(made, name);
  }
  return { made, at };
}

const INSTANCE = 10; // x y z, w x y z, r g b

class Painter {
  constructor(canvas, recording) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
    if (!gl) throw new Error("no WebGL 2");
    Object.assign(this, { canvas, gl, recording });
    this.meshes = program(gl, MESH_VERTEX, MESH_FRAGMENT);
    this.depth = program(gl, DEPTH_VERTEX, DEPTH_FRAGMENT);
    this.ground = program(gl, GROUND_VERTEX, GROUND_FRAGMENT);
    this.groups = recording.meshes.map((mesh) => this.group(mesh));
    recording.bodies.forEach((body, index) => { if (body.mesh !== null) this.groups[body.mesh].bodies.push({ index, point: null, color: body.color }); });
    for (const joint of recording.joints) this.groups[joint.mesh].bodies.push({ index: joint.body, point: joint.point, color: joint.color, frames: joint.frames });
    for (const group of this.groups) group.data = new Float32Array(group.bodies.length * INSTANCE);
    this.arrows = recording.arrows.length ? new Arrows(gl, recording) : null;
    this.floor = this.floorPlane();
    this.shadowMap(2048);
    this.sunlight();
    this.pose = new Float32Array(7);
  }

  buffer(data, where, size) {
    const { gl } = this, made = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, made);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(where);
    gl.vertexAttribPointer(where, size, gl.FLOAT, false, 0, 0);
  }

  group(mesh) {
    const { gl } = this, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    this.buffer(mesh.vertices, 0, 3);
    this.buffer(mesh.normals, 1, 3);
    const instances = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, instances);
    for (const [where, size, offset] of [[2, 3, 0], [3, 4, 3], [4, 3, 7]]) {
      gl.enableVertexAttribArray(where);
      gl.vertexAttribPointer(where, size, gl.FLOAT, false, INSTANCE * 4, offset * 4);
      gl.vertexAttribDivisor(where, 1);
    }
    const order = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, order);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, mesh.triangles, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return { array, instances, count: mesh.triangles.length, bodies: [], drawn: 0 };
  }

  floorPlane() {
    const { gl } = this, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    this.buffer(new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), 0, 2);
    gl.bindVertexArray(null);
    return array;
  }

  shadowMap(size) {
    const { gl } = this;
    this.map = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.map);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL);
    for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, side, gl.LINEAR);
    for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
    this.shadow = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.map, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    this.mapSize = size;
  }

  sunlight() {
    const { up, ahead, center, radius, ground } = this.recording.scene, side = cross(up, ahead);
    this.toSun = unit(add(add(up, side, -0.28), ahead, 0.4));
    // Wide enough to hold the shadow that everything throws on the ground.
    const reach = radius * 1.25 + 0.6 * Math.max(0, dot3(center, up) - ground);
    const eye = add(center, this.toSun, reach * 2);
    this.sun = multiply(orthographic(reach, reach * 0.2, reach * 4), lookAt(eye, center, ahead));
  }

  // Put everything where it is at `time`. A film's camera sees neither itself nor marks of hinges.
  place(frame, time, camera) {
    const { gl, pose, recording } = this;
    for (const group of this.groups) {
      let n = 0;
      for (const { index, point, color, frames } of group.bodies) {
        if (frames && (frame < frames[0] || frame > frames[1])) continue;
        if (camera.body !== undefined && (point || index === camera.body)) continue;
        if (!poseAt(recording, index, frame, time, pose)) continue;
        group.data.set(pose, n);
        if (point) group.data.set(turned(pose, point), n);
        group.data.set(color, n + 7);
        n += INSTANCE;
      }
      group.drawn = n / INSTANCE;
      gl.bindBuffer(gl.ARRAY_BUFFER, group.instances);
      gl.bufferData(gl.ARRAY_BUFFER, group.data.subarray(0, n), gl.DYNAMIC_DRAW);
    }
    if (this.arrows) this.arrows.place(frame);
  }

  drawMeshes() {
    const { gl } = this;
    for (const group of this.groups) {
      if (!group.drawn) continue;
      gl.bindVertexArray(group.array);
      gl.drawElementsInstanced(gl.TRIANGLES, group.count, gl.UNSIGNED_INT, 0, group.drawn);
    }
  }

  draw(colors, camera) {
    const { gl, canvas } = this, { scene } = this.recording;
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(canvas.clientWidth * scale)), height = Math.max(1, Math.round(canvas.clientHeight * scale));
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    camera.aspect = width / height;
    camera.refit();
    gl.enable(gl.DEPTH_TEST);

    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow);
    gl.viewport(0, 0, this.mapSize, this.mapSize);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.depth.made);
    gl.uniformMatrix4fv(this.depth.at.sun, false, this.sun);
    this.drawMeshes();

    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    gl.clearColor(...colors.paper, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const matrix = camera.matrix();
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.map);

    let { made, at } = this.ground;
    const side = cross(scene.up, scene.ahead), height0 = dot3(scene.center, scene.up) - scene.ground;
    const middle = add(scene.center, scene.up, -height0), reach = scene.radius * 7;
    gl.useProgram(made);
    gl.uniformMatrix4fv(at.camera, false, matrix);
    gl.uniformMatrix4fv(at.sun, false, this.sun);
    gl.uniform3fv(at.center, middle);
    gl.uniform3fv(at.across, side);
    gl.uniform3fv(at.along, scene.ahead);
    gl.uniform1f(at.size, reach);
    gl.uniform2f(at.middle, dot3(middle, side), dot3(middle, scene.ahead));
    gl.uniform1f(at.reach, reach);
    gl.uniform1f(at.cell, scene.cell);
    gl.uniform1f(at.dark, colors.dark);
    gl.uniform3fv(at.paper, colors.paper);
    gl.uniform3fv(at.line, camera.body === undefined ? colors.line : colors.paper);
    gl.uniform1i(at.shadow, 0);
    // The ground is seen from above only; from below it would hide everything.
    if (dot3(camera.eye, scene.up) > scene.ground) {
      gl.bindVertexArray(this.floor);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }

    ({ made, at } = this.meshes);
    gl.useProgram(made);
    gl.uniformMatrix4fv(at.camera, false, matrix);
    gl.uniformMatrix4fv(at.sun, false, this.sun);
    gl.uniform3fv(at.toSun, this.toSun);
    gl.uniform3fv(at.up, scene.up);
    gl.uniform3fv(at.eye, camera.eye);
    gl.uniform1i(at.shadow, 0);
    this.drawMeshes();
    gl.bindVertexArray(null);
    if (this.arrows) this.arrows.draw(matrix, this.toSun, scale);
  }
}
