// Starts `graphflow lsp` for the files of the setting `graphflow.files`. No build step: this file is the extension.
const { window, workspace } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function start() {
  const settings = workspace.getConfiguration("graphflow");
  const server = { command: settings.get("path"), args: ["lsp"], transport: TransportKind.stdio };
  const pattern = settings.get("files");
  client = new LanguageClient("graphflow", "graphflow", server, {
    documentSelector: ["yaml", "json"].map((language) => ({ scheme: "file", language, pattern })),
  });
  return client.start().catch((error) => {
    window.showErrorMessage(`graphflow does not start: ${error.message}. Install it, or set graphflow.path.`);
  });
}

async function restart(event) {
  if (!event.affectsConfiguration("graphflow")) return;
  await client?.stop().catch(() => {});
  await start();
}

exports.activate = (context) => {
  // The program is the user's own, but a folder's settings may name another one: only in folders that are trusted.
  const begin = () => {
    context.subscriptions.push(workspace.onDidChangeConfiguration(restart));
    return start();
  };
  if (workspace.isTrusted) return begin();
  context.subscriptions.push(workspace.onDidGrantWorkspaceTrust(begin));
};

exports.deactivate = () => client?.stop();
