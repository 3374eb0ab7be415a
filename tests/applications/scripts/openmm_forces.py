"""OpenMM: its own test of an installation, and forces of small systems on OpenCL against its reference platform."""

import random
import re
import subprocess
import sys

import openmm
from openmm import unit

from lines import attempt, best, check, speed

PARTICLES = 300


def water():
    system = openmm.System()
    for _ in range(PARTICLES):
        system.addParticle(18.0)
    system.setDefaultPeriodicBoxVectors((3, 0, 0), (0, 3, 0), (0, 0, 3))
    return system


def nonbonded(system, method):
    force = openmm.NonbondedForce()
    force.setNonbondedMethod(method)
    force.setCutoffDistance(1.0)
    for number in range(PARTICLES):
        force.addParticle((-1) ** number * 0.5, 0.3, 0.5)
    system.addForce(force)


def bonds(system):
    force = openmm.HarmonicBondForce()
    for number in range(PARTICLES - 1):
        force.addBond(number, number + 1, 0.3, 1000.0)
    system.addForce(force)
    force = openmm.PeriodicTorsionForce()
    for number in range(PARTICLES - 3):
        force.addTorsion(number, number + 1, number + 2, number + 3, 2, 0.5, 3.0)
    system.addForce(force)


def custom(system):
    force = openmm.CustomNonbondedForce("k*exp(-r*b)*cos(r)+erfc(r); b=b1*b2")
    force.addGlobalParameter("k", 5.0)
    force.addPerParticleParameter("b")
    for number in range(PARTICLES):
        force.addParticle([1.0 + number % 3])
    system.addForce(force)


def surface(system):
    force = openmm.GBSAOBCForce()
    for number in range(PARTICLES):
        force.addParticle((-1) ** number * 0.5, 0.15, 0.8)
    system.addForce(force)


def positions():
    jitter = random.Random(4)
    side = 7
    return [openmm.Vec3(*[0.4 * place + jitter.uniform(-0.05, 0.05) for place in (n % side, n // side % side, n // side // side)])
            for n in range(PARTICLES)]


def forces(platform, build, properties):
    system = water()
    build(system)
    context = openmm.Context(system, openmm.VerletIntegrator(0.001), openmm.Platform.getPlatformByName(platform), properties)
    context.setPositions(positions())
    state = context.getState(getForces=True)
    found = state.getForces(asNumpy=True).value_in_unit(unit.kilojoule_per_mole / unit.nanometer)
    return context, found


def compare(name, build, precision):
    _, expected = forces("Reference", build, {})
    context, found = forces("OpenCL", build, {"Precision": precision})
    difference = abs(found - expected).max() / max(abs(expected).max(), 1)
    if not difference < 1e-3:
        raise ValueError(f"forces differ by {difference}")
    if precision == "single":
        integrator = context.getIntegrator()
        integrator.step(5)

        def steps():
            integrator.step(20)
            context.getState(getEnergy=True)

        speed(name, best(steps, 3))


done = subprocess.run([sys.executable, "-m", "openmm.testInstallation"], stdout=subprocess.PIPE, text=True)
print(done.stdout)
check("testInstallation", done.returncode == 0 and re.search(r"OpenCL(.|\n)*- Successfully computed forces\n\n", done.stdout), done.stdout[-200:])
CASES = {
    "cutoff": lambda system: nonbonded(system, openmm.NonbondedForce.CutoffPeriodic),
    "PME": lambda system: nonbonded(system, openmm.NonbondedForce.PME),
    "bonds and torsions": bonds,
    "custom non-bonded": custom,
    "surface": surface,
}
for name, build in CASES.items():
    for precision in ["single", "double"]:
        attempt(f"{name}, {precision}", lambda: compare(name, build, precision))
