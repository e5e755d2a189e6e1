"""An example of each class and function of the reference, as code in which `torch` is rushlight; the build runs them.

Families that are called in one way share a line.
"""

from site_build.examples import layers as layers
from site_build.examples import others as others
from site_build.examples import training as training
from site_build.examples.table import EXAMPLES as EXAMPLES
