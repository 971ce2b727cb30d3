// Requests to the server of the page. Each has the token of the session with it; what is refused becomes an error that says why.

export function asker(token) {
  async function send(path, body) {
    let answer;
    try {
      answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json", "X-Treewright-Token": token }, body: JSON.stringify(body), cache: "no-store" });
    } catch {
      throw Object.assign(new Error("The workbench does not answer: it has ended. What was done is in its log; start it again to go on."), { status: 0 });
    }
    if (answer.ok) return answer;
    const told = await answer.json().catch(() => ({}));
    throw Object.assign(new Error(told.error ?? `the server answers ${answer.status}`), { status: answer.status });
  }

  return {
    ask: async (path, body = {}) => (await send(path, body)).json(),
    async file(path, body) {
      const answer = await send(path, body);
      const name = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1] ?? "file";
      return { name, blob: await answer.blob() };
    },
  };
}
