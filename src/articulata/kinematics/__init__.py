"""Chains, trees and figures; forward and inverse kinematics; assembly of hinged bodies."""
