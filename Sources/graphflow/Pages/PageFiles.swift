/// The scripts and style sheets of the pages, which are files in this folder.
///
/// The scripts are plain JavaScript. They insert text from outside only as text nodes.
enum PageFiles {
    /// The script of a run's page, which contains its data.
    static let runScript = script(
        PackageResources.elements_js, PackageResources.timeline_js, PackageResources.run_js, PackageResources.report_js)
    /// The script of the board, which requests its data.
    static let boardScript = script(
        PackageResources.elements_js, PackageResources.timeline_js, PackageResources.run_js, PackageResources.batch_js,
        PackageResources.start_js, PackageResources.approvals_js, PackageResources.board_js)

    /// The script of a batch's page, which contains its items.
    static let batchScript = script(PackageResources.filter_js)

    /// The style of all pages, light, dark and on paper, with the style of drawings inside `.drawing`.
    static let style =
        "\n" + text(PackageResources.page_css) + ".drawing{\(WorkflowDrawing.svgStyle)}\n"
        + text(PackageResources.drawing_css)
    static let planStyle = style + text(PackageResources.plan_css)
    static let boardStyle = planStyle + text(PackageResources.board_css)

    private static func script(_ files: [UInt8]...) -> String { files.map { "\n" + text($0) }.joined() }

    private static func text(_ file: [UInt8]) -> String { String(decoding: file, as: UTF8.self) }
}
