"""Packets of ours and of other libraries, each read by the other."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Turn

from articulata.analyses.track.humanoid_bones import HumanoidBones
from articulata.analyses.track.tracked_person import tracked_body
from articulata.geometry.arrays import Array
from articulata.kinematics.library import figure
from articulata.network.dis import packets
from articulata.network.osc_sender import datagrams, vmc_messages
from articulata.records.osc import read_osc
from articulata.records.tracking import TrackedPosture

pytestmark = pytest.mark.slow


def test_packets_of_open_dis_are_read_and_ours_by_it() -> None:
    """Its own ArticulatedParts writes a whole number for the float: VariableParameter is right."""
    from opendis import dis7  # type: ignore[import-not-found] # a peer
    from opendis.DataOutputStream import DataOutputStream  # type: ignore[import-not-found] # a peer
    from opendis.PduFactory import createPdu  # type: ignore[import-not-found] # a peer

    pdu: Any = dis7.EntityStatePdu()
    pdu.pduType = packets.ENTITY_STATE
    pdu.protocolVersion, pdu.exerciseID, pdu.protocolFamily, pdu.pduStatus = 7, 1, 1, 0
    pdu.timestamp, pdu.entityAppearance, pdu.capabilities = 0x12345678, 3 << 16, 0
    pdu.entityID.siteID, pdu.entityID.applicationID, pdu.entityID.entityID = 3, 4, 5
    pdu.entityType.entityKind, pdu.entityType.domain = 3, 1
    pdu.entityLocation.x, pdu.entityLocation.y, pdu.entityLocation.z = 6.4e6, 1.25, -2.5
    pdu.entityOrientation.psi, pdu.entityOrientation.phi = 0.1, 0.3
    pdu.entityLinearVelocity.x = 1.5
    pdu.marking.setString("peer")
    raw = struct.pack(">BBHIfI", 0, 1, 0, 65677, 0.1, 0)
    pdu.variableParameters = [dis7.VariableParameter(*struct.unpack(">BdIHB", raw))]
    stream = io.BytesIO()
    pdu.serialize(DataOutputStream(stream))
    data = bytearray(stream.getvalue())
    # it leaves the length at 0 unless a program sets it; so it is damaged
    (damage,) = packets.read([bytes(data)]).damaged
    assert "length" in damage.why
    data[8:10] = len(data).to_bytes(2, "big")
    (found,) = packets.read([bytes(data)]).found
    (row,) = found.rows
    assert row["entity"].tolist() == [3, 4, 5]
    assert row["location"].tolist() == [6.4e6, 1.25, -2.5]
    np.testing.assert_array_equal(row["orientation"], np.float32([0.1, 0.0, 0.3]))
    assert packets.marking_of(row["marking"]) == "peer"
    assert found.parameters[0, 0]["part"] == 65677
    assert found.parameters[0, 0]["value"] == np.float32(0.1)
    # and back
    ours = packets.State(
        packets.EntityId(3, 4, 5), (6.4e6, 1.25, -2.5), (0.1, 0.0, 0.3), (1.5, 0.0, 0.0), 3 << 16,
        (packets.Parameter(65677, 0.1, change=1),), timestamp=0x12345678, marking="peer",
    )  # fmt: skip
    again = createPdu(ours.encode())
    assert again.entityLocation.y == 1.25
    assert again.marking.charactersString() == "peer"
    part = again.variableParameters[0]
    written = struct.pack(
        ">dIHB", part.variableParameterFields1, part.variableParameterFields2,
        part.variableParameterFields3, part.variableParameterFields4,
    )  # fmt: skip
    assert struct.unpack(">BHIfI", written) == (1, 0, 65677, np.float32(0.1), 0)


def test_python_osc_shows_the_angles_of_both_arms() -> None:
    """Bones as it reads them, turned about the joints' axes: the same to 0.01 deg."""
    from pythonosc import osc_bundle as bundles  # type: ignore[import-not-found] # a peer
    from pythonosc.osc_message_builder import (  # type: ignore[import-not-found] # a peer
        OscMessageBuilder,
    )

    body = tracked_body(figure("person"))
    rng, q, at_t = np.random.default_rng(1), body.rest.copy(), body.posture("t_pose")
    for arm in body.arms.each:
        q[arm.columns] = rng.uniform(-1.3, 1.3, 7)
        q[arm.columns[3]] = rng.uniform(0.3, 1.5)
    base = np.array((1.0, 0.0, 0.0, 0.0, 0.3, 0.0, -0.2))
    posture = TrackedPosture(2.5, q, base, np.zeros((2, 11)), ())
    told = {
        message.params[0]: message.params[4:]
        for data in datagrams(vmc_messages(HumanoidBones(body).at(posture)))
        for message in bundles.OscBundle(data)
        if message.address == "/VMC/Ext/Bone/Pos"
    }
    X, X_T = body.figure.poses(q), body.figure.poses(at_t)

    def since(link: int) -> Array:
        return np.asarray(X[link, :3, :3] @ X_T[link, :3, :3].T)

    for word, arm in zip(("Right", "Left"), body.arms.each, strict=True):
        for k, bone in enumerate(("UpperArm", "LowerArm", "Hand")):
            x, y, z, w = told[word + bone]
            heard = Turn.from_quat((x, -y, -z, w))  # from Unity's mirrored frame
            before = since(arm.root) if k == 0 else since(arm.links[k - 1])
            meant = Turn.from_matrix(before.T @ since(arm.links[k]))
            assert np.degrees((heard.inv() * meant).magnitude()) < 0.01, (word, bone)
    builder = OscMessageBuilder("/VMC/Ext/Bone/Pos")
    for value in ("Hips", 0.1, 0.2, 0.3, 0.0, 0.6, 0.0, 0.8):
        builder.add_arg(value)
    (message,) = read_osc(builder.build().dgram)
    assert message.arguments[0] == "Hips"
    np.testing.assert_array_equal(
        message.arguments[1:], np.float32([0.1, 0.2, 0.3, 0, 0.6, 0, 0.8])
    )
