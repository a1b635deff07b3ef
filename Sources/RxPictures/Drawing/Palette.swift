/// The style sheet of a picture: each class with its colors in light and in dark.
///
/// Kinds also differ in shape or in line, so that a picture is legible without colors.
enum Palette {
    /// Common sans-serif fonts, none wider than the estimate of ``TextWidth``.
    static let fonts = "Helvetica, Arial, 'DejaVu Sans', 'Noto Sans CJK SC', sans-serif"

    private struct Colors {
        let paper, ink, dim, line, warning: String
        let source, step, stream, action, reactor, group: String
        let sourceLine, streamLine, actionLine, reactorLine: String
        let marble, executing, band: String
    }

    private static let light = Colors(
        paper: "#ffffff", ink: "#1b1f24", dim: "#59636e", line: "#6e7781", warning: "#b3261e",
        source: "#e3f0fd", step: "#ffffff", stream: "#eee8fb", action: "#e2f5e5", reactor: "#fdf0d5", group: "#f5f7f9",
        sourceLine: "#1f6fb8", streamLine: "#6f42c1", actionLine: "#1f7a36", reactorLine: "#9a6700",
        marble: "#d3e6fa", executing: "#bfe3c6", band: "#d0d7de")

    private static let dark = Colors(
        paper: "#0d1117", ink: "#e6edf3", dim: "#a0a9b3", line: "#8b949e", warning: "#ff8a80",
        source: "#10263c", step: "#161b22", stream: "#251b3d", action: "#10291a", reactor: "#2e230b", group: "#12171e",
        sourceLine: "#58a6ff", streamLine: "#b48cf2", actionLine: "#4cc065", reactorLine: "#d9a428",
        marble: "#1b3a5c", executing: "#1f4a2b", band: "#3a424c")

    static func sheet(_ theme: Theme) -> String {
        switch theme {
        case .automatic: rules(light) + "\n@media (prefers-color-scheme: dark) {\n\(rules(dark))\n}"
        case .light: rules(light)
        case .dark: rules(dark)
        }
    }

    private static func rules(_ colors: Colors) -> String {
        """
        text { fill: \(colors.ink); } .dim { fill: \(colors.dim); } .warn { fill: \(colors.warning); }
        path { fill: none; stroke: \(colors.line); stroke-width: 1.5; }
        .paper { fill: \(colors.paper); }
        .source { fill: \(colors.source); stroke: \(colors.sourceLine); }
        .step { fill: \(colors.step); stroke: \(colors.line); }
        .stream { fill: \(colors.stream); stroke: \(colors.streamLine); stroke-width: 2; }
        .action { fill: \(colors.action); stroke: \(colors.actionLine); stroke-width: 2; }
        .reactor { fill: \(colors.reactor); stroke: \(colors.reactorLine); stroke-width: 2; }
        .group { fill: \(colors.group); stroke: \(colors.line); }
        .off { stroke-dasharray: 5 3; }
        .tip { fill: \(colors.line); stroke: none; }
        .feedback { stroke: \(colors.warning); stroke-dasharray: 6 4; } .tip.feedback { fill: \(colors.warning); }
        .condition { stroke: \(colors.reactorLine); stroke-dasharray: 2 3; }
        .tip.condition { fill: \(colors.reactorLine); }
        .read { stroke: \(colors.streamLine); stroke-dasharray: 9 3 2 3; }
        .tip.read { fill: \(colors.streamLine); }
        .tip.feedback, .tip.condition, .tip.read { stroke: none; }
        .guide { stroke: \(colors.band); stroke-width: 1; }
        .lane { stroke: \(colors.line); stroke-width: 2; }
        .fork { stroke: \(colors.line); stroke-width: 1.5; stroke-dasharray: 2 2; }
        .marble { fill: \(colors.marble); stroke: \(colors.sourceLine); stroke-width: 1.5; }
        .executing { fill: \(colors.executing); stroke: \(colors.actionLine); stroke-width: 1; }
        .band { fill: \(colors.band); stroke: \(colors.dim); stroke-width: 1; }
        .error { fill: none; stroke: \(colors.warning); stroke-width: 3; }
        .good { fill: \(colors.executing); stroke: \(colors.actionLine); stroke-width: 1.5; }
        .waits { fill: \(colors.reactor); stroke: \(colors.reactorLine); stroke-width: 1.5; }
        .bad { fill: \(colors.paper); stroke: \(colors.warning); stroke-width: 2; }
        .torn { fill: \(colors.paper); stroke: \(colors.warning); stroke-width: 1.5; }
        .idle { fill: \(colors.paper); stroke: none; }
        .zigzag { stroke: \(colors.dim); stroke-width: 1.5; }
        """
    }
}
