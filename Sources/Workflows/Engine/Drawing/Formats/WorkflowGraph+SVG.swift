extension WorkflowGraph {
    /// The picture as SVG, laid out by ourselves, light or dark as whoever looks at it likes it.
    ///
    /// It holds no scripts and loads nothing; fonts are the viewer's. What is cut is there in full as a tooltip.
    public var svg: String { SVGDrawing(self).text }
}
