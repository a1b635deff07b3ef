extension Marbles {
    /// The picture as an SVG document.
    ///
    /// - Parameter width: in pixels; at least 480. The height follows from what there is to show.
    public func svg(theme: Theme = .automatic, width: Int = 960) -> String { drawing(width: width).svg(theme) }

    func drawing(width: Int) -> Drawing {
        var drawing = MarbleDrawing(self, width: width)
        return drawing.draw()
    }
}
