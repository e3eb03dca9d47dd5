"""Tables, pictures and pages from the results that ``rank --out`` keeps.

``make_report(gather(read_run(folder)), "markdown")`` is the whole of it.
"""

from uncommonsense.report.comparison import Comparison, compare
from uncommonsense.report.document import FORMATS, make_report
from uncommonsense.report.pictures import Picture, draw_pictures, save_pictures
from uncommonsense.report.results import Results, gather
from uncommonsense.report.samples import Sample, choose_samples

__all__ = [
    "FORMATS",
    "Comparison",
    "Picture",
    "Results",
    "Sample",
    "choose_samples",
    "compare",
    "draw_pictures",
    "gather",
    "make_report",
    "save_pictures",
]
