// The tour's story, played with openapi-fetch and the types that openapi-typescript generates: story.js URL STORY
//
// STORY is a JSON file: a hidden card with its name and codes, and decks of all games. Ends with an exception where an answer is not
// the expected one.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Api = Client<paths>;
type Accepted = components["schemas"]["AcceptedResponse"];

interface Story {
  number: string;
  name: string;
  codes: string[];
  mistyped: string;
  decks: { name: string; format: string; list: string; legal: boolean }[];
}

const PASSWORD = "tram window sonnet";

async function play(baseUrl: string, story: Story): Promise<void> {
  const stranger: Api = createClient<paths>({ baseUrl });

  // What a stranger sees of a hidden card.
  const query = { game: "ttcg", set: "veil", number: story.number, hidden: true };
  const page = (await stranger.GET("/v1/cards", { params: { query } })).data;
  // Lists of cards can be texts, too: for those who ask for them.
  assert(page && typeof page === "object");
  const hidden = page.data[0];
  assert(hidden && "hidden" in hidden && hidden.hidden && !("name" in hidden));
  const path = { card: hidden.id };

  const players: Api[] = [];
  for (const name of ["Ada", "Ben", "Cho", "Dia", "Eli"]) {
    players.push(await join(baseUrl, stranger, `${name} ts`));
  }
  const [ada, ben] = players as [Api, Api];
  const { name, codes } = story;
  const code = (n: number): string => codes[n] ?? assert.fail();

  // Failures, and how they are reported.
  assert.equal(await refusal(ada, "7KQ2-X0FM", name), "serial_malformed");
  assert.equal(await refusal(ada, story.mistyped, name), "serial_mistyped");
  assert.equal(await refusal(ada, code(0), "Another Name"), "submission_rejected");
  assert.equal(await refusal(ada, "0000-0000-0000-0000", name), "submission_rejected");

  // Five times right: the fifth unlocks the card.
  for (const [n, player] of players.entries()) {
    const accepted = await submit(player, code(n), name);
    assert(!accepted.already_registered && accepted.counted);
    const unlock = (await stranger.GET("/v1/cards/{card}/unlock", { params: { path } })).data;
    assert.equal(unlock?.submissions, n + 1);
    if (n === 0) {
      assert((await submit(ada, code(0).toLowerCase(), name)).already_registered, "she sends it again");
      assert.equal(await refusal(ben, code(0), name), "registered_to_another");
    }
  }
  const card = (await stranger.GET("/v1/cards/{card}", { params: { path } })).data;
  assert(card && typeof card === "object" && "name" in card && card.name === name);

  // Decks of all games are judged.
  const builder = await join(baseUrl, stranger, "deck builder ts");
  for (const { name, format, list, legal } of story.decks) {
    const stored = (await builder.POST("/v1/decks", { body: { name, format, list } })).data;
    assert(stored);
    const of = { params: { path: { deck: stored.id } } };
    const report = (await builder.GET("/v1/decks/{deck}/report", of)).data;
    assert.equal(report?.status === "legal", legal, name);
    assert.equal(report?.violations.length === 0, legal, name);
  }
}

/** A new player, logged in. */
async function join(baseUrl: string, stranger: Api, name: string): Promise<Api> {
  const body = { name, password: PASSWORD };
  const registered = (await stranger.POST("/v1/accounts", { body })).data;
  assert(registered?.recovery_codes.length);
  const tokens = (await stranger.POST("/v1/sessions", { body })).data;
  assert(tokens);
  return createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${tokens.access_token}` } });
}

async function submit(player: Api, serial: string, name: string): Promise<Accepted> {
  const { data, error } = await player.POST("/v1/submissions", { body: { serial, name } });
  assert(data, JSON.stringify(error));
  return data;
}

/** The code of the problem that a submission is answered with. */
async function refusal(player: Api, serial: string, name: string): Promise<string> {
  const { error } = await player.POST("/v1/submissions", { body: { serial, name } });
  assert(error, "it was accepted");
  return error.code;
}

const [url, file] = process.argv.slice(2);
assert(url && file);
await play(url, JSON.parse(readFileSync(file, "utf8")) as Story);
console.log("openapi-fetch: the story went as expected");
