#!/usr/bin/env python3
"""Draws docs/images/input.svg, the path of an input through the daemon: docs/images/input.py > docs/images/input.svg"""

FONT = "font-family='DejaVu Sans, Verdana, sans-serif'"
INK, LINE, FAINT = "#1f2933", "#52606d", "#7b8794"
parts = []


def text(x, y, content, size=13, color=INK, anchor="middle", weight="normal", mono=False):
    font = "font-family='DejaVu Sans Mono, monospace'" if mono else FONT
    parts.append(
        f"<text x='{x}' y='{y}' {font} font-size='{size}' fill='{color}' text-anchor='{anchor}' "
        f"font-weight='{weight}'>{content}</text>"
    )


def box(x, y, width, height, title, *lines, fill="#ffffff"):
    parts.append(
        f"<rect x='{x}' y='{y}' width='{width}' height='{height}' rx='6' fill='{fill}' stroke='{LINE}'/>"
    )
    top = y + height / 2 - 8 * len(lines) + 5
    text(x + width / 2, top, title, weight="bold")
    for index, line in enumerate(lines):
        text(x + width / 2, top + 17 * (index + 1), line, size=11, color=LINE)


def arrow(path, label=None, x=0, y=0, dashed=False, anchor="middle"):
    dash = " stroke-dasharray='5 4'" if dashed else ""
    parts.append(f"<path d='{path}' fill='none' stroke='{INK}' stroke-width='1.4' marker-end='url(#tip)'{dash}/>")
    if label:
        text(x, y, label, size=11, color=LINE, anchor=anchor)


WIDTH, HEIGHT = 940, 400
# Frames: the client and the daemon.
parts.append(f"<rect x='210' y='12' width='716' height='376' rx='10' fill='#f5f7fa' stroke='{FAINT}'/>")
text(226, 34, "rxd", size=14, color=LINE, anchor="start", weight="bold")
text(910, 34, "refusals carry a reason; every buffer has a bound", size=11, color=FAINT, anchor="end")

box(14, 62, 136, 58, "a client", "rxctl, RxClient, socat")
box(14, 240, 136, 58, "subscribers", "any number")

# Downward: the input.
box(236, 62, 130, 58, "Connection", "line to message")
box(420, 62, 140, 58, "MethodTable", "method to handler")
box(614, 62, 130, 58, "Host", "schema, keys")
box(786, 62, 124, 58, "Action", "overlap, enabled")
box(786, 176, 124, 58, "work", "a process, a built-in", fill="#e6f0ff")
# Back: the events.
box(594, 240, 166, 58, "State and events", "snapshot, cursor", fill="#fff4de")
box(420, 240, 140, 58, "Subscription", "event to notification")
box(236, 240, 130, 58, "Outbox", "one write per turn")
# Beside: state.
box(786, 310, 124, 58, "Reactor", "action to mutation")
box(614, 330, 130, 44, "SQLite", fill="#eef7ee")

arrow("M150 84 L234 84", "input", 190, 77)
arrow("M366 91 L418 91")
arrow("M560 91 L612 91")
arrow("M744 91 L784 91")
arrow("M848 120 L848 174", "starts", 842, 151, anchor="end")
arrow("M786 205 L700 205 L700 238", "elements, errors, levels", 690, 199, anchor="end")
arrow("M594 269 L562 269")
arrow("M420 269 L368 269")
arrow("M236 269 L152 269", "events", 190, 262)
arrow("M300 238 L300 150 L100 150 L100 122", "reply, stream", 156, 144)
arrow("M679 298 L679 328", dashed=True)
arrow("M786 352 L746 352", dashed=True)
arrow("M786 326 L730 326 L730 300")
arrow("M848 236 L848 308", "merge", 854, 278, anchor="start")

print(
    f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' height='{HEIGHT}' "
    "role='img' aria-label='The path of an input through the daemon'>"
    f"<defs><marker id='tip' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' markerHeight='7' orient='auto'>"
    f"<path d='M0 0 L8 4 L0 8 z' fill='{INK}'/></marker></defs>"
    f"<rect width='{WIDTH}' height='{HEIGHT}' fill='#ffffff'/>"
)
print("\n".join(parts))
print("</svg>")
