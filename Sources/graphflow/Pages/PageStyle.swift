import Workflows

/// How our pages look, in light, in dark and on paper.
enum PageStyle {
    /// The style sheet, with that of drawings inside `.drawing`.
    static let text = sheet + "\n.drawing{\(WorkflowDrawing.svgStyle)}\n" + taken

    private static let sheet = #"""

        :root{
          color-scheme:light dark;
          --page:#f6f8fa;--card:#fff;--text:#1f2328;--quiet:#59636e;--line:#d1d9e0;--hover:#f0f3f6;--chosen:#ddf4ff;
          --completed:#1a7f37;--faulted:#cf222e;--cancelled:#59636e;--skipped:#59636e;--running:#0969da;
          --interrupted:#9a6700;--wait:#bf8700;--code:#f6f8fa;--accent:#0969da;--on:#fff;
        }
        @media (prefers-color-scheme:dark){:root{
          --page:#010409;--card:#0d1117;--text:#f0f6fc;--quiet:#9198a1;--line:#30363d;--hover:#161b22;--chosen:#12263f;
          --completed:#3fb950;--faulted:#ff7b72;--cancelled:#9198a1;--skipped:#9198a1;--running:#58a6ff;
          --interrupted:#d29922;--wait:#e3b341;--code:#161b22;--accent:#58a6ff;--on:#0d1117;
        }}
        *{box-sizing:border-box}
        body{margin:0;background:var(--page);color:var(--text);font:14px/1.5 system-ui,"Segoe UI",sans-serif}
        main{max-width:1280px;margin:0 auto;padding:24px 20px 48px}
        h1{font-size:24px;line-height:1.25;margin:0;overflow-wrap:anywhere}
        h2{font-size:16px;margin:0 0 12px}
        h3{font-size:12px;margin:14px 0 4px;color:var(--quiet);font-weight:600}
        section,#drawing{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:16px 18px;margin:16px 0 0}
        pre,code,kbd,.mono{font-family:ui-monospace,"Cascadia Mono","DejaVu Sans Mono",monospace;font-size:12px}
        pre{margin:0;padding:10px 12px;background:var(--code);border:1px solid var(--line);border-radius:6px;
          white-space:pre-wrap;overflow-wrap:anywhere;max-height:420px;overflow:auto}
        kbd{border:1px solid var(--line);border-radius:4px;padding:0 4px;background:var(--code)}
        bdi,.text{unicode-bidi:isolate}
        :focus-visible{outline:2px solid var(--accent);outline-offset:1px}
        .quiet{color:var(--quiet)}
        .head{display:flex;gap:12px;align-items:center;flex-wrap:wrap}
        .head p{margin:2px 0 0;flex-basis:100%;color:var(--quiet)}
        .badge{border-radius:99px;padding:2px 12px;font-weight:600;color:var(--on);background:var(--cancelled)}
        .facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(190px,1fr));gap:12px 24px;margin:0}
        .facts div{min-width:0}
        dt{color:var(--quiet);font-size:12px}
        dd{margin:0;overflow-wrap:anywhere}
        .error{border-color:var(--faulted);border-left-width:5px}
        .error h2{color:var(--faulted)}
        .error p{margin:0 0 8px;overflow-wrap:anywhere}
        pre+.facts{margin-top:12px}
        .source{white-space:pre;overflow-x:auto}
        .source span{display:block}
        .source i{font-style:normal;color:var(--quiet);display:inline-block;min-width:4ch;text-align:right;margin-right:1.5ch}
        .source .here i{color:inherit}
        .source .here{background:color-mix(in srgb,var(--faulted) 18%,transparent);font-weight:600}
        details summary{cursor:pointer;font-weight:600}
        details pre{margin-top:8px}
        .two{display:grid;grid-template-columns:repeat(auto-fit,minmax(300px,1fr));gap:0 16px}
        .tools{display:flex;gap:8px;align-items:center;flex-wrap:wrap;margin-bottom:10px}
        .tools .space{flex:1}
        input,button{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:3px 10px}
        input[type=search]{width:200px}
        button{cursor:pointer}
        button:hover{background:var(--hover)}
        .grid{border:1px solid var(--line);border-radius:6px;overflow:hidden}
        .axis,.row{display:grid;grid-template-columns:minmax(180px,34%) 1fr 165px;align-items:center}
        .axis{height:26px;border-bottom:1px solid var(--line);color:var(--quiet);font-size:11px}
        .axis>*{padding:0 10px}
        .axis .ticks{padding:0}
        .ticks,.lane{position:relative;height:100%;overflow:hidden}
        .ticks span{position:absolute;top:5px;padding-left:4px;white-space:nowrap}
        .ticks span,.mark{border-left:1px solid var(--line)}
        .mark{position:absolute;top:0;bottom:0}
        .rows{position:relative;overflow:auto;max-height:min(62vh,620px)}
        .rows:focus-visible{outline-offset:-2px}
        .row{position:absolute;left:0;right:0;height:28px;border-bottom:1px solid color-mix(in srgb,var(--line) 45%,transparent);cursor:default}
        .row:hover{background:var(--hover)}
        .row.chosen{background:var(--chosen)}
        .name{display:flex;align-items:center;gap:6px;min-width:0;padding:0 10px;white-space:nowrap}
        .name bdi{overflow:hidden;text-overflow:ellipsis}
        .name small{color:var(--quiet);flex-shrink:9;overflow:hidden;text-overflow:ellipsis}
        .twist{width:14px;flex:none;color:var(--quiet);text-align:center}
        .sign{width:14px;flex:none;text-align:center;font-weight:700}
        .took{padding:0 10px;text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums;overflow:hidden;text-overflow:ellipsis}
        .bar,.wait{position:absolute;top:7px;height:14px;border-radius:3px;min-width:3px}
        .bar.around{top:11px;height:6px;opacity:.75}
        .wait{background:repeating-linear-gradient(135deg,var(--wait) 0 3px,var(--card) 3px 6px);border:1px solid var(--wait)}
        .retry{position:absolute;top:3px;height:22px;width:2px;background:var(--text)}
        .completed{--state:var(--completed)}.faulted,.unknown,.damaged{--state:var(--faulted)}
        .cancelled,.skipped{--state:var(--cancelled)}.running{--state:var(--running)}
        .interrupted,.suspended{--state:var(--interrupted)}
        .badge,.bar{background:var(--state)}
        .sign{color:var(--state)}
        .hint{margin:8px 0 0;color:var(--quiet);font-size:12px}
        .empty{padding:24px;text-align:center;color:var(--quiet)}
        .notes{margin:0;padding:0;list-style:none}
        .notes li{padding:3px 0;overflow-wrap:anywhere}
        .notes time{color:var(--quiet);margin-right:8px;font-variant-numeric:tabular-nums}
        #drawing{overflow:auto;text-align:center}
        #drawing h2{text-align:left}
        #drawing svg{max-width:100%;height:auto}
        #plain{max-height:none}
        @media (max-width:760px){
          .axis,.row{grid-template-columns:minmax(120px,46%) 1fr 84px}
          main{padding:14px 10px}
          .name small{display:none}
        }
        @media print{
          body{background:none;font-size:11px}
          main{max-width:none;padding:0}
          section,#drawing{break-inside:avoid-page;border-radius:0;margin-top:10px}
          .timeline{break-inside:auto}
          .tools,.hint,.task{display:none}
          .rows{max-height:none;overflow:visible}
          .rows>div{height:auto!important}
          .row{position:relative;top:auto!important;break-inside:avoid}
          .row.chosen{background:none}
          pre,.source{max-height:none;white-space:pre-wrap}
          .bar,.badge,.wait,.retry{print-color-adjust:exact;-webkit-print-color-adjust:exact}
        }
        """#

    /// What a run adds to the drawing of its workflow.
    private static let taken = #"""
        .drawing .page{fill:none}
        .drawing .untaken{opacity:.4}
        .drawing [data-task]{cursor:pointer}
        .drawing .cluster.taken>rect,.drawing .node.taken>:first-of-type{stroke-width:2}
        .drawing .node.completed>:is(rect,polygon):first-of-type,.drawing .cluster.completed>rect{stroke:var(--completed)}
        .drawing .node.faulted>:is(rect,polygon):first-of-type,.drawing .cluster.faulted>rect{stroke:var(--faulted)}
        .drawing .node.running>:is(rect,polygon):first-of-type,.drawing .cluster.running>rect{stroke:var(--running)}
        .drawing .node.interrupted>:is(rect,polygon):first-of-type,.drawing .cluster.interrupted>rect{stroke:var(--interrupted)}
        .drawing .count rect{fill:var(--state);stroke:none}
        .drawing .count text{stroke:none;fill:var(--on);font-size:11px;font-weight:700;text-anchor:middle}

        """#
}
