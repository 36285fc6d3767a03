"""Articulata: figures, robots and rooms described in text; simulate, reach, pose, track, film.

``import articulata as art`` gives every public name and loads none of them: a name's module is
imported when the name is first used. Rooms never import from here, they name the full module.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from articulata.analyses.film.carrier import Carrier as Carrier
    from articulata.analyses.film.film_question import film as film
    from articulata.analyses.film.film_question import setting_of as setting_of
    from articulata.analyses.film.judged_move import judge as judge
    from articulata.analyses.film.pilot import Pilot as Pilot
    from articulata.analyses.film.pilot import Tick as Tick
    from articulata.analyses.film.shaping import Shaping as Shaping
    from articulata.analyses.film.slowing import slowed as slowed
    from articulata.analyses.film.steering import Steering as Steering
    from articulata.analyses.pose.carrying_over import carried_over as carried_over
    from articulata.analyses.pose.demonstrating import Learnt as Learnt
    from articulata.analyses.pose.demonstrating import aligned as aligned
    from articulata.analyses.pose.demonstrating import episodes as episodes
    from articulata.analyses.pose.demonstrating import learnt as learnt
    from articulata.analyses.pose.evolving import StrengthPareto as StrengthPareto
    from articulata.analyses.pose.objectives import Objective as Objective
    from articulata.analyses.pose.peers import Pymoo as Pymoo
    from articulata.analyses.pose.peers import peer_front as peer_front
    from articulata.analyses.pose.pose_question import PoseSearch as PoseSearch
    from articulata.analyses.pose.pose_question import pose as pose
    from articulata.analyses.reach.one_person.body import Capability as Capability
    from articulata.analyses.reach.reach_question import reach as reach
    from articulata.analyses.simulate.clearance import clearance as clearance
    from articulata.analyses.simulate.commands import Command as Command
    from articulata.analyses.simulate.instant_equations import equations as equations
    from articulata.analyses.simulate.moments import Moment as Moment
    from articulata.analyses.simulate.pulling import Removal as Removal
    from articulata.analyses.simulate.pulling import pull as pull
    from articulata.analyses.simulate.pulling import removals as removals
    from articulata.analyses.simulate.reacting import Stop as Stop
    from articulata.analyses.simulate.replaying import replay as replay
    from articulata.analyses.simulate.run import simulate as simulate
    from articulata.analyses.track.body import tracked_body as tracked_body
    from articulata.analyses.track.calibration import Calibration as Calibration
    from articulata.analyses.track.calibration import calibrate as calibrate
    from articulata.analyses.track.calibration import held as held
    from articulata.analyses.track.track_question import track as track
    from articulata.analyses.track.tracker import Tracker as Tracker
    from articulata.domains.actuator import Actuator as Actuator
    from articulata.domains.actuator import Servo as Servo
    from articulata.domains.comfort.body import BodyAngles as BodyAngles
    from articulata.domains.comfort.body import PostureScore as PostureScore
    from articulata.domains.comfort.body import WorkConditions as WorkConditions
    from articulata.domains.comfort.displacement import Discomfort as Discomfort
    from articulata.domains.comfort.niosh import HandsAt as HandsAt
    from articulata.domains.comfort.niosh import Lift as Lift
    from articulata.domains.comfort.niosh import LiftingLimit as LiftingLimit
    from articulata.domains.comfort.niosh import composite_lifting_index as composite_lifting_index
    from articulata.domains.comfort.niosh import niosh as niosh
    from articulata.domains.comfort.owas import owas as owas
    from articulata.domains.comfort.reba import reba as reba
    from articulata.domains.comfort.rula import rula as rula
    from articulata.domains.dynamic.contact.laws import Contact as Contact
    from articulata.domains.dynamic.contact.laws import Newton as Newton
    from articulata.domains.dynamic.contact.laws import Poisson as Poisson
    from articulata.domains.dynamic.contact.laws import Sequential as Sequential
    from articulata.domains.dynamic.contact.rules import Coulomb as Coulomb
    from articulata.domains.dynamic.contact.rules import Iterated as Iterated
    from articulata.domains.dynamic.contact.rules import Lagged as Lagged
    from articulata.domains.dynamic.equations import Equations as Equations
    from articulata.domains.dynamic.methods import DOP853 as DOP853
    from articulata.domains.dynamic.methods import RK4 as RK4
    from articulata.domains.dynamic.methods import Euler1986 as Euler1986
    from articulata.domains.dynamic.methods import MuJoCo as MuJoCo
    from articulata.domains.dynamic.methods import RealTime as RealTime
    from articulata.domains.dynamic.methods import Stepping as Stepping
    from articulata.domains.dynamic.methods import Symplectic as Symplectic
    from articulata.errors import ArticulataError as ArticulataError
    from articulata.errors import AssemblyError as AssemblyError
    from articulata.errors import ControllerError as ControllerError
    from articulata.errors import Diagnostic as Diagnostic
    from articulata.errors import FormatError as FormatError
    from articulata.errors import FormatWarning as FormatWarning
    from articulata.errors import GeometryError as GeometryError
    from articulata.errors import InconsistentSystem as InconsistentSystem
    from articulata.errors import KinematicsError as KinematicsError
    from articulata.errors import MissingExtra as MissingExtra
    from articulata.errors import ModelError as ModelError
    from articulata.errors import NameNotFound as NameNotFound
    from articulata.errors import RecordingError as RecordingError
    from articulata.errors import SimulationError as SimulationError
    from articulata.errors import WorldError as WorldError
    from articulata.formats.urdf.urdf_figure import parse_urdf as parse_urdf
    from articulata.formats.urdf.urdf_figure import read_urdf as read_urdf
    from articulata.geometry.camera import Camera as Camera
    from articulata.geometry.camera import Lens as Lens
    from articulata.geometry.camera import look_at as look_at
    from articulata.geometry.euler import EulerAngles as EulerAngles
    from articulata.geometry.rotation import AxisAngle as AxisAngle
    from articulata.geometry.rotation import Rotation as Rotation
    from articulata.geometry.smoothing import OneEuro as OneEuro
    from articulata.geometry.smoothing import smooth as smooth
    from articulata.kinematics.assembly.assembling import assemble as assemble
    from articulata.kinematics.chain import Chain as Chain
    from articulata.kinematics.clash import Clash as Clash
    from articulata.kinematics.clash import Clearances as Clearances
    from articulata.kinematics.clash import Obstacle as Obstacle
    from articulata.kinematics.conventions import DH as DH
    from articulata.kinematics.figure import Figure as Figure
    from articulata.kinematics.figure import Landmark as Landmark
    from articulata.kinematics.figure import Run as Run
    from articulata.kinematics.free_paths import JointPath as JointPath
    from articulata.kinematics.free_paths import find_path as find_path
    from articulata.kinematics.free_paths import free_between as free_between
    from articulata.kinematics.inverse.areas import CircleArea as CircleArea
    from articulata.kinematics.inverse.areas import PolygonArea as PolygonArea
    from articulata.kinematics.inverse.areas import RectangleArea as RectangleArea
    from articulata.kinematics.inverse.areas import StandingArea as StandingArea
    from articulata.kinematics.inverse.closed_form import Degenerate as Degenerate
    from articulata.kinematics.inverse.descent import Descent as Descent
    from articulata.kinematics.inverse.exact import MeetingAxes as MeetingAxes
    from articulata.kinematics.inverse.exact import ParallelAxes as ParallelAxes
    from articulata.kinematics.inverse.exact import SevenJoints as SevenJoints
    from articulata.kinematics.inverse.exact import Shrug as Shrug
    from articulata.kinematics.inverse.exact import SixJoints as SixJoints
    from articulata.kinematics.inverse.exact import SphericalWrist as SphericalWrist
    from articulata.kinematics.inverse.exact import Swivel as Swivel
    from articulata.kinematics.inverse.jacobians import DampedLeastSquares as DampedLeastSquares
    from articulata.kinematics.inverse.jacobians import ExtendedJacobian as ExtendedJacobian
    from articulata.kinematics.inverse.jacobians import JacobianTranspose as JacobianTranspose
    from articulata.kinematics.inverse.jacobians import Pseudoinverse as Pseudoinverse
    from articulata.kinematics.inverse.jacobians import Pull as Pull
    from articulata.kinematics.inverse.jacobians import ResolvedMotion as ResolvedMotion
    from articulata.kinematics.inverse.postures import Posture as Posture
    from articulata.kinematics.inverse.postures import Postures as Postures
    from articulata.kinematics.inverse.quasi_newton import BFGS as BFGS
    from articulata.kinematics.inverse.reason import Reason as Reason
    from articulata.kinematics.inverse.several_targets import FigurePostures as FigurePostures
    from articulata.kinematics.inverse.sweeps import CoordinateDescent as CoordinateDescent
    from articulata.kinematics.inverse.sweeps import Increment as Increment
    from articulata.kinematics.inverse.sweeps import Triangulation as Triangulation
    from articulata.kinematics.inverse.targets import At as At
    from articulata.kinematics.inverse.targets import Gaze as Gaze
    from articulata.kinematics.inverse.targets import Pointing as Pointing
    from articulata.kinematics.joint import FIXED as FIXED
    from articulata.kinematics.joint import PRISMATIC as PRISMATIC
    from articulata.kinematics.joint import REVOLUTE as REVOLUTE
    from articulata.kinematics.joint import Joint as Joint
    from articulata.kinematics.joint import Mimic as Mimic
    from articulata.kinematics.joint import Motor as Motor
    from articulata.kinematics.leonardo_base import BaseLinkage as BaseLinkage
    from articulata.kinematics.library import figure as figure
    from articulata.kinematics.library import figures as figures
    from articulata.kinematics.limits import Limited as Limited
    from articulata.kinematics.link import Link as Link
    from articulata.kinematics.link import MeshFile as MeshFile
    from articulata.kinematics.link import Part as Part
    from articulata.kinematics.minimum_jerk import Blend as Blend
    from articulata.kinematics.minimum_jerk import MinimumJerk as MinimumJerk
    from articulata.kinematics.minimum_jerk import MinimumJerkPose as MinimumJerkPose
    from articulata.kinematics.minimum_jerk import blended as blended
    from articulata.kinematics.minimum_jerk import minimum_jerk as minimum_jerk
    from articulata.kinematics.minimum_jerk import minimum_jerk_pose as minimum_jerk_pose
    from articulata.kinematics.rhythm import ShoulderRhythm as ShoulderRhythm
    from articulata.kinematics.sight import Sight as Sight
    from articulata.kinematics.sight import line_of_sight as line_of_sight
    from articulata.kinematics.statics import Balance as Balance
    from articulata.kinematics.statics import Load as Load
    from articulata.kinematics.statics import Push as Push
    from articulata.kinematics.statics import Statics as Statics
    from articulata.kinematics.statics import TorqueDerivatives as TorqueDerivatives
    from articulata.kinematics.trajectory import Trajectory as Trajectory
    from articulata.kinematics.trajectory import trajectory as trajectory
    from articulata.kinematics.tree import Tree as Tree
    from articulata.kinematics.world_figure import figure_of as figure_of
    from articulata.records.events import Event as Event
    from articulata.records.film import CameraMove as CameraMove
    from articulata.records.film import CameraPath as CameraPath
    from articulata.records.film import CarriedMove as CarriedMove
    from articulata.records.film import FilmVerdict as FilmVerdict
    from articulata.records.film import load_move as load_move
    from articulata.records.film import load_verdict as load_verdict
    from articulata.records.film import sampled_move as sampled_move
    from articulata.records.pose import Front as Front
    from articulata.records.reach import ReachMap as ReachMap
    from articulata.records.reach_store import ReachStore as ReachStore
    from articulata.records.reach_verdicts import Verdict as Verdict
    from articulata.records.recording import Recording as Recording
    from articulata.records.recording import load as load
    from articulata.records.samples import Sample as Sample
    from articulata.records.tracking import TrackedPosture as TrackedPosture
    from articulata.records.uses import Operation as Operation
    from articulata.records.uses import Sighting as Sighting
    from articulata.report.beside import Beside as Beside
    from articulata.report.beside import beside as beside
    from articulata.report.convergence import plot_convergence as plot_convergence
    from articulata.report.export import export as export
    from articulata.report.fronts import plot_evolution as plot_evolution
    from articulata.report.fronts import plot_front as plot_front
    from articulata.report.plots import plot as plot
    from articulata.report.portrait import portrait as portrait
    from articulata.report.strip import strip as strip
    from articulata.report.tables import table as table
    from articulata.report.viewer.open import view as view
    from articulata.sessions.processes import connect as connect
    from articulata.sessions.reach.tiling import reach_in_store as reach_in_store
    from articulata.world.builder import Builder as Builder
    from articulata.world.document import Document as Document
    from articulata.world.document import check as check
    from articulata.world.document import parse as parse
    from articulata.world.document import read as read
    from articulata.world.edits.components import AddComponent as AddComponent
    from articulata.world.edits.components import RemoveComponent as RemoveComponent
    from articulata.world.edits.pairs import RemovePair as RemovePair
    from articulata.world.edits.pairs import SetPair as SetPair
    from articulata.world.edits.structure import AddBody as AddBody
    from articulata.world.edits.structure import AddDrive as AddDrive
    from articulata.world.edits.structure import AddForce as AddForce
    from articulata.world.edits.structure import BreakHinge as BreakHinge
    from articulata.world.edits.structure import Heed as Heed
    from articulata.world.edits.structure import Ignore as Ignore
    from articulata.world.edits.structure import MakeHinge as MakeHinge
    from articulata.world.edits.structure import RemoveBody as RemoveBody
    from articulata.world.edits.structure import RemoveDrive as RemoveDrive
    from articulata.world.edits.structure import RemoveForce as RemoveForce
    from articulata.world.edits.values import Place as Place
    from articulata.world.edits.values import SetProperty as SetProperty
    from articulata.world.model import World as World
    from articulata.world.pairs import MaterialPair as MaterialPair
    from articulata.world.requests.film import FilmQuestion as FilmQuestion
    from articulata.world.requests.pose import PoseQuestion as PoseQuestion
    from articulata.world.requests.reach import Aligned as Aligned
    from articulata.world.requests.reach import Population as Population
    from articulata.world.requests.reach import ReachQuestion as ReachQuestion
    from articulata.world.requests.reach import Watched as Watched
    from articulata.world.requests.request import Action as Action
    from articulata.world.requests.request import Request as Request
    from articulata.world.requests.request import Rule as Rule
    from articulata.world.requests.track import TrackQuestion as TrackQuestion
    from articulata.world.requests.ways_to_move import OnFoot as OnFoot
    from articulata.world.requests.ways_to_move import Walker as Walker
    from articulata.world.requests.ways_to_move import Wheelchair as Wheelchair
    from articulata.world.values import Material as Material
    from articulata.world.values import Pose as Pose
    from articulata.world.writing.worlds import art_text as art_text

__version__ = "0.5.0"

# One row per public name: the module that holds it, as "module" or, where it is called otherwise
# there, as "module:name". A type checker reads the imports above; a test holds the two together.
_HOMES = {
    "Action": "articulata.world.requests.request",
    "Actuator": "articulata.domains.actuator",
    "AddBody": "articulata.world.edits.structure",
    "AddComponent": "articulata.world.edits.components",
    "AddDrive": "articulata.world.edits.structure",
    "AddForce": "articulata.world.edits.structure",
    "Aligned": "articulata.world.requests.reach",
    "ArticulataError": "articulata.errors",
    "AssemblyError": "articulata.errors",
    "At": "articulata.kinematics.inverse.targets",
    "AxisAngle": "articulata.geometry.rotation",
    "BFGS": "articulata.kinematics.inverse.quasi_newton",
    "Balance": "articulata.kinematics.statics",
    "BaseLinkage": "articulata.kinematics.leonardo_base",
    "Beside": "articulata.report.beside",
    "Blend": "articulata.kinematics.minimum_jerk",
    "BodyAngles": "articulata.domains.comfort.body",
    "BreakHinge": "articulata.world.edits.structure",
    "Builder": "articulata.world.builder",
    "Calibration": "articulata.analyses.track.calibration",
    "Camera": "articulata.geometry.camera",
    "CameraMove": "articulata.records.film",
    "CameraPath": "articulata.records.film",
    "Capability": "articulata.analyses.reach.one_person.body",
    "CarriedMove": "articulata.records.film",
    "Carrier": "articulata.analyses.film.carrier",
    "Chain": "articulata.kinematics.chain",
    "CircleArea": "articulata.kinematics.inverse.areas",
    "Clash": "articulata.kinematics.clash",
    "Clearances": "articulata.kinematics.clash",
    "Command": "articulata.analyses.simulate.commands",
    "Contact": "articulata.domains.dynamic.contact.laws",
    "ControllerError": "articulata.errors",
    "CoordinateDescent": "articulata.kinematics.inverse.sweeps",
    "Coulomb": "articulata.domains.dynamic.contact.rules",
    "DH": "articulata.kinematics.conventions",
    "DOP853": "articulata.domains.dynamic.methods",
    "DampedLeastSquares": "articulata.kinematics.inverse.jacobians",
    "Degenerate": "articulata.kinematics.inverse.closed_form",
    "Descent": "articulata.kinematics.inverse.descent",
    "Diagnostic": "articulata.errors",
    "Discomfort": "articulata.domains.comfort.displacement",
    "Document": "articulata.world.document",
    "Equations": "articulata.domains.dynamic.equations",
    "Euler1986": "articulata.domains.dynamic.methods",
    "EulerAngles": "articulata.geometry.euler",
    "Event": "articulata.records.events",
    "ExtendedJacobian": "articulata.kinematics.inverse.jacobians",
    "FIXED": "articulata.kinematics.joint",
    "Figure": "articulata.kinematics.figure",
    "FigurePostures": "articulata.kinematics.inverse.several_targets",
    "FilmQuestion": "articulata.world.requests.film",
    "FilmVerdict": "articulata.records.film",
    "FormatError": "articulata.errors",
    "FormatWarning": "articulata.errors",
    "Front": "articulata.records.pose",
    "Gaze": "articulata.kinematics.inverse.targets",
    "GeometryError": "articulata.errors",
    "HandsAt": "articulata.domains.comfort.niosh",
    "Heed": "articulata.world.edits.structure",
    "Ignore": "articulata.world.edits.structure",
    "InconsistentSystem": "articulata.errors",
    "Increment": "articulata.kinematics.inverse.sweeps",
    "Iterated": "articulata.domains.dynamic.contact.rules",
    "JacobianTranspose": "articulata.kinematics.inverse.jacobians",
    "Joint": "articulata.kinematics.joint",
    "JointPath": "articulata.kinematics.free_paths",
    "KinematicsError": "articulata.errors",
    "Lagged": "articulata.domains.dynamic.contact.rules",
    "Landmark": "articulata.kinematics.figure",
    "Learnt": "articulata.analyses.pose.demonstrating",
    "Lens": "articulata.geometry.camera",
    "Lift": "articulata.domains.comfort.niosh",
    "LiftingLimit": "articulata.domains.comfort.niosh",
    "Limited": "articulata.kinematics.limits",
    "Link": "articulata.kinematics.link",
    "Load": "articulata.kinematics.statics",
    "MakeHinge": "articulata.world.edits.structure",
    "Material": "articulata.world.values",
    "MaterialPair": "articulata.world.pairs",
    "MeetingAxes": "articulata.kinematics.inverse.exact",
    "MeshFile": "articulata.kinematics.link",
    "Mimic": "articulata.kinematics.joint",
    "MinimumJerk": "articulata.kinematics.minimum_jerk",
    "MinimumJerkPose": "articulata.kinematics.minimum_jerk",
    "MissingExtra": "articulata.errors",
    "ModelError": "articulata.errors",
    "Moment": "articulata.analyses.simulate.moments",
    "Motor": "articulata.kinematics.joint",
    "MuJoCo": "articulata.domains.dynamic.methods",
    "NameNotFound": "articulata.errors",
    "Newton": "articulata.domains.dynamic.contact.laws",
    "Objective": "articulata.analyses.pose.objectives",
    "Obstacle": "articulata.kinematics.clash",
    "OnFoot": "articulata.world.requests.ways_to_move",
    "OneEuro": "articulata.geometry.smoothing",
    "Operation": "articulata.records.uses",
    "PRISMATIC": "articulata.kinematics.joint",
    "ParallelAxes": "articulata.kinematics.inverse.exact",
    "Part": "articulata.kinematics.link",
    "Pilot": "articulata.analyses.film.pilot",
    "Place": "articulata.world.edits.values",
    "Pointing": "articulata.kinematics.inverse.targets",
    "Poisson": "articulata.domains.dynamic.contact.laws",
    "PolygonArea": "articulata.kinematics.inverse.areas",
    "Population": "articulata.world.requests.reach",
    "Pose": "articulata.world.values",
    "PoseQuestion": "articulata.world.requests.pose",
    "PoseSearch": "articulata.analyses.pose.pose_question",
    "Posture": "articulata.kinematics.inverse.postures",
    "PostureScore": "articulata.domains.comfort.body",
    "Postures": "articulata.kinematics.inverse.postures",
    "Pseudoinverse": "articulata.kinematics.inverse.jacobians",
    "Pull": "articulata.kinematics.inverse.jacobians",
    "Push": "articulata.kinematics.statics",
    "Pymoo": "articulata.analyses.pose.peers",
    "REVOLUTE": "articulata.kinematics.joint",
    "RK4": "articulata.domains.dynamic.methods",
    "ReachMap": "articulata.records.reach",
    "ReachQuestion": "articulata.world.requests.reach",
    "ReachStore": "articulata.records.reach_store",
    "RealTime": "articulata.domains.dynamic.methods",
    "Reason": "articulata.kinematics.inverse.reason",
    "Recording": "articulata.records.recording",
    "RecordingError": "articulata.errors",
    "RectangleArea": "articulata.kinematics.inverse.areas",
    "Removal": "articulata.analyses.simulate.pulling",
    "RemoveBody": "articulata.world.edits.structure",
    "RemoveComponent": "articulata.world.edits.components",
    "RemoveDrive": "articulata.world.edits.structure",
    "RemoveForce": "articulata.world.edits.structure",
    "RemovePair": "articulata.world.edits.pairs",
    "Request": "articulata.world.requests.request",
    "ResolvedMotion": "articulata.kinematics.inverse.jacobians",
    "Rotation": "articulata.geometry.rotation",
    "Rule": "articulata.world.requests.request",
    "Run": "articulata.kinematics.figure",
    "Sample": "articulata.records.samples",
    "Sequential": "articulata.domains.dynamic.contact.laws",
    "Servo": "articulata.domains.actuator",
    "SetPair": "articulata.world.edits.pairs",
    "SetProperty": "articulata.world.edits.values",
    "SevenJoints": "articulata.kinematics.inverse.exact",
    "Shaping": "articulata.analyses.film.shaping",
    "ShoulderRhythm": "articulata.kinematics.rhythm",
    "Shrug": "articulata.kinematics.inverse.exact",
    "Sight": "articulata.kinematics.sight",
    "Sighting": "articulata.records.uses",
    "SimulationError": "articulata.errors",
    "SixJoints": "articulata.kinematics.inverse.exact",
    "SphericalWrist": "articulata.kinematics.inverse.exact",
    "StandingArea": "articulata.kinematics.inverse.areas",
    "Statics": "articulata.kinematics.statics",
    "Steering": "articulata.analyses.film.steering",
    "Stepping": "articulata.domains.dynamic.methods",
    "Stop": "articulata.analyses.simulate.reacting",
    "StrengthPareto": "articulata.analyses.pose.evolving",
    "Swivel": "articulata.kinematics.inverse.exact",
    "Symplectic": "articulata.domains.dynamic.methods",
    "Tick": "articulata.analyses.film.pilot",
    "TorqueDerivatives": "articulata.kinematics.statics",
    "TrackQuestion": "articulata.world.requests.track",
    "TrackedPosture": "articulata.records.tracking",
    "Tracker": "articulata.analyses.track.tracker",
    "Trajectory": "articulata.kinematics.trajectory",
    "Tree": "articulata.kinematics.tree",
    "Triangulation": "articulata.kinematics.inverse.sweeps",
    "Verdict": "articulata.records.reach_verdicts",
    "Walker": "articulata.world.requests.ways_to_move",
    "Watched": "articulata.world.requests.reach",
    "Wheelchair": "articulata.world.requests.ways_to_move",
    "WorkConditions": "articulata.domains.comfort.body",
    "World": "articulata.world.model",
    "WorldError": "articulata.errors",
    "aligned": "articulata.analyses.pose.demonstrating",
    "art_text": "articulata.world.writing.worlds",
    "assemble": "articulata.kinematics.assembly.assembling",
    "beside": "articulata.report.beside",
    "blended": "articulata.kinematics.minimum_jerk",
    "calibrate": "articulata.analyses.track.calibration",
    "carried_over": "articulata.analyses.pose.carrying_over",
    "check": "articulata.world.document",
    "clearance": "articulata.analyses.simulate.clearance",
    "composite_lifting_index": "articulata.domains.comfort.niosh",
    "connect": "articulata.sessions.processes",
    "episodes": "articulata.analyses.pose.demonstrating",
    "equations": "articulata.analyses.simulate.instant_equations",
    "export": "articulata.report.export",
    "figure": "articulata.kinematics.library",
    "figure_of": "articulata.kinematics.world_figure",
    "figures": "articulata.kinematics.library",
    "film": "articulata.analyses.film.film_question",
    "find_path": "articulata.kinematics.free_paths",
    "free_between": "articulata.kinematics.free_paths",
    "held": "articulata.analyses.track.calibration",
    "judge": "articulata.analyses.film.judged_move",
    "learnt": "articulata.analyses.pose.demonstrating",
    "line_of_sight": "articulata.kinematics.sight",
    "load": "articulata.records.recording",
    "load_move": "articulata.records.film",
    "load_verdict": "articulata.records.film",
    "look_at": "articulata.geometry.camera",
    "minimum_jerk": "articulata.kinematics.minimum_jerk",
    "minimum_jerk_pose": "articulata.kinematics.minimum_jerk",
    "niosh": "articulata.domains.comfort.niosh",
    "owas": "articulata.domains.comfort.owas",
    "parse": "articulata.world.document",
    "parse_urdf": "articulata.formats.urdf.urdf_figure",
    "peer_front": "articulata.analyses.pose.peers",
    "plot": "articulata.report.plots",
    "plot_convergence": "articulata.report.convergence",
    "plot_evolution": "articulata.report.fronts",
    "plot_front": "articulata.report.fronts",
    "portrait": "articulata.report.portrait",
    "pose": "articulata.analyses.pose.pose_question",
    "pull": "articulata.analyses.simulate.pulling",
    "reach": "articulata.analyses.reach.reach_question",
    "reach_in_store": "articulata.sessions.reach.tiling",
    "read": "articulata.world.document",
    "read_urdf": "articulata.formats.urdf.urdf_figure",
    "reba": "articulata.domains.comfort.reba",
    "removals": "articulata.analyses.simulate.pulling",
    "replay": "articulata.analyses.simulate.replaying",
    "rula": "articulata.domains.comfort.rula",
    "sampled_move": "articulata.records.film",
    "setting_of": "articulata.analyses.film.film_question",
    "simulate": "articulata.analyses.simulate.run",
    "slowed": "articulata.analyses.film.slowing",
    "smooth": "articulata.geometry.smoothing",
    "strip": "articulata.report.strip",
    "table": "articulata.report.tables",
    "track": "articulata.analyses.track.track_question",
    "tracked_body": "articulata.analyses.track.body",
    "trajectory": "articulata.kinematics.trajectory",
    "view": "articulata.report.viewer.open",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Import the module that holds a public name, on the name's first use."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'articulata' has no attribute {name!r}")
    module, _, attribute = home.partition(":")
    value = getattr(importlib.import_module(module), attribute or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, loaded or not."""
    return sorted({*globals(), *_HOMES})
