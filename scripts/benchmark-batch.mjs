// Sends the requests of a batch as a plain script would: 50 items at a time, and no ledger, plan or retries.
// scripts/benchmark-batch starts it with the address of Graph and a file of the items and the bodies of one of them.
import { readFileSync } from "node:fs";

const [graph, path] = process.argv.slice(2);
const { items, draft, link } = JSON.parse(readFileSync(path));

async function send(method, path, body, type) {
  const headers = { Authorization: "Bearer x", ...(type && { "Content-Type": type }) };
  const answer = await fetch(graph + path, { method, headers, body });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}

async function share(to) {
  const photo = await (await send("GET", "/me/photo/$value")).arrayBuffer();
  const upload = "/me/drive/root:/me.jpg:/content?@microsoft.graph.conflictBehavior=replace";
  const file = await (await send("PUT", upload, photo, "image/jpeg")).json();
  const linkPath = `/me/drive/items/${file.id}/createLink`;
  await (await send("POST", linkPath, JSON.stringify(link), "application/json")).json();
  const mail = JSON.stringify({ ...draft, toRecipients: [{ emailAddress: { address: to } }] });
  const message = await (await send("POST", "/me/messages", mail, "application/json")).json();
  await (await send("POST", `/me/messages/${encodeURIComponent(message.id)}/send`)).arrayBuffer();
}

let next = 0;
async function work() {
  while (next < items.length) await share(items[next++]);
}
await Promise.all(Array.from({ length: 50 }, work));
