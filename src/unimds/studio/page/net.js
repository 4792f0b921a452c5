// Talking to the server. The token comes in the fragment of the address, which is never sent anywhere, and is kept for
// this tab only.

const KEY = "unimds-studio-token";
if (location.hash.length > 1) {
  sessionStorage.setItem(KEY, location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
}
const token = sessionStorage.getItem(KEY) ?? "";
const headers = { Authorization: `Bearer ${token}` };

export const known = () => token !== "";

async function asked(path, options = {}) {
  const answer = await fetch(path, { ...options, headers: { ...headers, ...options.headers } });
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

export const get = async (path) => (await asked(`api/${path}`)).json();

export const act = (action, more = {}) => asked("api/do", {
  method: "POST", body: JSON.stringify({ action, ...more }), headers: { "Content-Type": "application/json" },
});

export const upload = (file) => asked(`api/file?name=${encodeURIComponent(file.name)}`, {
  method: "PUT", body: file, headers: { "Content-Type": "application/octet-stream" },
});

// Have the browser save a file that the server makes.
export async function download(kind, colour) {
  const answer = await asked(`api/export/${kind}${colour === undefined ? "" : `?color=${encodeURIComponent(colour)}`}`);
  const name = decodeURIComponent((answer.headers.get("content-disposition") ?? "").split("''")[1] ?? kind);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await answer.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return name;
}

// Messages: two lengths, a header in JSON, and bytes.
function unpacked(buffer, take) {
  let at = 0;
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  while (buffer.byteLength - at >= 8) {
    const [text, body] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    const end = at + 8 + text + body;
    if (end > buffer.byteLength) break;
    const header = JSON.parse(new TextDecoder().decode(buffer.subarray(at + 8, at + 8 + text)));
    take(header, new Float32Array(buffer.slice(at + 8 + text, end).buffer));
    at = end;
  }
  return buffer.slice(at);
}

async function readAll(take) {
  const answer = await asked("api/events");
  const reader = answer.body.getReader();
  let rest = new Uint8Array(0);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const joined = new Uint8Array(rest.length + value.length);
    joined.set(rest);
    joined.set(value, rest.length);
    rest = unpacked(joined, take);
  }
}

// Hear all that happens; after a break, ask again.
export async function listen(take, lost) {
  for (;;) {
    try {
      await readAll(take);
      lost("The connection to the studio is lost; is its command still running?");
    } catch (error) {
      lost(error instanceof TypeError ? "The studio does not answer; is its command still running?" : error.message);
      if (!(error instanceof TypeError) && /token/.test(error.message)) return;
    }
    await new Promise((done) => setTimeout(done, 1500));
  }
}
