// Starts `articulata lsp` and lets the editor talk to it.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = workspace.getConfiguration("articulata").get("command");
  const server = { command, args: ["lsp"] };
  client = new LanguageClient("articulata", "Articulata", server, {
    documentSelector: [{ language: "art" }],
  });
  return client.start();
};

exports.deactivate = () => client && client.stop();
