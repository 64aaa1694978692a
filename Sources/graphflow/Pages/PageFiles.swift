import Essentials
import Workflows

/// The scripts and style sheets of our pages, which are files in this folder.
///
/// The scripts are plain JavaScript that makes elements, and shows texts from outside only as texts.
enum PageFiles {
    /// The script of a run's page, whose data are in the page.
    static let runScript = script(
        PackageResources.elements_js, PackageResources.timeline_js, PackageResources.run_js, PackageResources.report_js)
    /// The script of the board, which asks for data.
    static let boardScript = script(
        PackageResources.elements_js, PackageResources.timeline_js, PackageResources.run_js, PackageResources.batch_js,
        PackageResources.start_js, PackageResources.board_js)

    /// The script of a batch's page, which has its items in it.
    static let batchScript = script(PackageResources.filter_js)

    /// How our pages look, in light, in dark and on paper, with the style of drawings inside `.drawing`.
    static let style =
        "\n" + text(PackageResources.page_css) + ".drawing{\(WorkflowDrawing.svgStyle)}\n"
        + text(PackageResources.drawing_css)
    /// How the page of a plan looks.
    static let planStyle = style + text(PackageResources.plan_css)
    /// How the board looks.
    static let boardStyle = style + text(PackageResources.board_css)

    private static func script(_ files: [UInt8]...) -> String { files.map { "\n" + text($0) }.joined() }

    private static func text(_ file: [UInt8]) -> String { String(decoding: file, as: UTF8.self) }
}
