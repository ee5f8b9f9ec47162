// Rooms of Colyseus under the load of `scripts/bench hall`. In a folder of its own, with a copy of this file:
//
//     npm install @colyseus/core@0.16 @colyseus/ws-transport@0.16 @colyseus/schema@3 colyseus.js@0.16
//     node rooms.mjs ROOMS SECONDS
//
// Four clients at each room, and a move a second: a message with 80 bytes, which the room counts and
// broadcasts with 1,000 more. Nothing is encrypted, recorded or checked. Prints a line of JSON.
import { fork } from "node:child_process";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

const SEATS = 4;
const PORT = 47890;
const UPDATE_BYTES = 1000;
const MOVE_BYTES = 80;
const LOST_SECONDS = 10;

async function serve() {
  const { Room, Server } = await import("@colyseus/core");
  const { WebSocketTransport } = await import("@colyseus/ws-transport");
  class Table extends Room {
    maxClients = SEATS;
    rev = 0;

    onCreate() {
      const view = "v".repeat(UPDATE_BYTES);
      this.onMessage("move", () => this.broadcast("update", { rev: ++this.rev, view }));
    }
  }
  const server = new Server({ transport: new WebSocketTransport({}) });
  server.define("table", Table);
  await server.listen(PORT, "127.0.0.1");
  process.on("message", () => process.send(process.memoryUsage().rss));
  process.send(0);
}

function heard(server) {
  return new Promise((resolve) => {
    const hear = (message) => {
      if (typeof message !== "number") return; // the framework says that it is ready, too
      server.off("message", hear);
      resolve(message);
    };
    server.on("message", hear);
  });
}

function megabytes(server) {
  const answer = heard(server);
  server.send("memory");
  return answer.then((bytes) => bytes / 2 ** 20);
}

async function seat(client, took) {
  const table = { rev: 0, due: 0, left: 0, players: [] };
  const first = await client.create("table");
  table.players.push(first);
  while (table.players.length < SEATS) table.players.push(await client.joinById(first.roomId));
  for (const player of table.players) {
    player.onMessage("update", () => {
      if (--table.left === 0) took.push(performance.now() - table.due);
    });
  }
  return table;
}

async function play(rooms, seconds) {
  const { Client } = await import("colyseus.js");
  const server = fork(fileURLToPath(import.meta.url), ["serve"]);
  await heard(server);
  const before = await megabytes(server);
  const took = [];
  const tables = [];
  for (let n = 0; n < rooms; n++) tables.push(await seat(new Client(`ws://127.0.0.1:${PORT}`), took));
  const grown = ((await megabytes(server)) - before) / rooms;
  const move = "m".repeat(MOVE_BYTES);
  const began = performance.now();
  const moves = rooms * seconds;
  for (let sent = 0; sent < moves; ) {
    const now = performance.now();
    for (; sent < moves && began + (1000 * sent) / rooms <= now; sent++) {
      const table = tables[sent % rooms];
      table.due = began + (1000 * sent) / rooms;
      table.left = SEATS;
      table.players[sent % SEATS].send("move", move);
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const end = performance.now() + 1000 * LOST_SECONDS;
  while (took.length < moves && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
  took.sort((one, other) => one - other);
  const at = (share) => Number(took[Math.min(Math.floor(share * took.length), took.length - 1)].toFixed(2));
  console.log(JSON.stringify({ rooms, moves, lost: moves - took.length, p50_ms: at(0.5), p99_ms: at(0.99),
    max_ms: at(1), megabytes_a_room: Number(grown.toFixed(2)) }));
  server.kill();
  process.exit(0);
}

const [first, second] = process.argv.slice(2);
await (first === "serve" ? serve() : play(Number(first ?? 50), Number(second ?? 20)));
