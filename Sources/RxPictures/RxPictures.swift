/// Pictures of streams, as text, dot, Mermaid, and SVG, drawn from plain values.
///
/// Rules:
/// - Everything here is a pure function: the same values give the same bytes. Nothing reads a file, a socket, or a
///   clock.
/// - Labels come from users. Each renderer escapes them, replaces control characters, and cuts what is too long.
/// - The size of a picture is bounded by named limits, however much there is to show.
///
/// Reading order: ``Graph`` (what is connected to what), ``GraphInput`` (how to build one), ``Marbles`` (what happened
/// over time), ``MarbleEvent`` (its input), ``Drawing`` (the shapes that both pictures are made of in SVG).
public enum RxPictures {}
