// The document client of the AWS SDK for JavaScript, version 3, unmodified, at work on the server named in the arguments.
"use strict";
const assert = require("node:assert/strict");
const { DynamoDBClient, CreateTableCommand, waitUntilTableExists, DeleteTableCommand } = require("@aws-sdk/client-dynamodb");
const lib = require("@aws-sdk/lib-dynamodb");

const [, , endpoint, accessKeyId, secretAccessKey] = process.argv;
const client = new DynamoDBClient({ endpoint, region: "eu-central-1", credentials: { accessKeyId, secretAccessKey } });
const documents = lib.DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
const TableName = "FromNode";

async function main() {
  const created = await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [
        { AttributeName: "pk", AttributeType: "S" },
        { AttributeName: "sk", AttributeType: "N" },
      ],
      KeySchema: [
        { AttributeName: "pk", KeyType: "HASH" },
        { AttributeName: "sk", KeyType: "RANGE" },
      ],
    }),
  );
  assert.match(created.TableDescription.TableArn, /^arn:aws:dynamodb:eu-central-1:/);
  await waitUntilTableExists({ client, maxWaitTime: 30 }, { TableName });

  const item = {
    pk: "a", sk: 1, text: "grüße ✓", list: [1, "two", { three: 3 }], flag: true, nothing: null,
    set: new Set(["x", "y"]), bytes: new Uint8Array([0, 255, 7]), gone: undefined,
  };
  await documents.send(new lib.PutCommand({ TableName, Item: item }));
  const read = (await documents.send(new lib.GetCommand({ TableName, Key: { pk: "a", sk: 1 } }))).Item;
  delete item.gone;
  assert.deepEqual({ ...read, bytes: [...read.bytes] }, { ...item, bytes: [0, 255, 7] });

  const updated = await documents.send(
    new lib.UpdateCommand({
      TableName,
      Key: { pk: "a", sk: 1 },
      UpdateExpression: "SET #t = :t ADD visits :one",
      ExpressionAttributeNames: { "#t": "text" },
      ExpressionAttributeValues: { ":t": "new", ":one": 1 },
      ReturnValues: "UPDATED_NEW",
    }),
  );
  assert.deepEqual(updated.Attributes, { text: "new", visits: 1 });

  const puts = [];
  for (let sk = 2; sk < 27; sk += 1) puts.push({ PutRequest: { Item: { pk: "a", sk } } });
  const batch = await documents.send(new lib.BatchWriteCommand({ RequestItems: { [TableName]: puts } }));
  assert.deepEqual(batch.UnprocessedItems, {});

  const found = [];
  const query = { TableName, KeyConditionExpression: "pk = :p", ExpressionAttributeValues: { ":p": "a" } };
  for await (const page of lib.paginateQuery({ client: documents, pageSize: 10 }, query)) {
    found.push(...page.Items.map((one) => one.sk));
  }
  assert.deepEqual(found, Array.from({ length: 26 }, (_, n) => n + 1));

  await assert.rejects(
    documents.send(
      new lib.PutCommand({
        TableName,
        Item: { pk: "a", sk: 1 },
        ConditionExpression: "attribute_not_exists(pk)",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    ),
    (error) => error.name === "ConditionalCheckFailedException" && error.Item.pk.S === "a",
  );
  await assert.rejects(
    documents.send(
      new lib.TransactWriteCommand({
        TransactItems: [
          { Put: { TableName, Item: { pk: "b", sk: 1 } } },
          { ConditionCheck: { TableName, Key: { pk: "c", sk: 1 }, ConditionExpression: "attribute_exists(pk)" } },
        ],
      }),
    ),
    (error) =>
      error.name === "TransactionCanceledException" &&
      error.CancellationReasons.map((reason) => reason.Code).join() === "None,ConditionalCheckFailed",
  );
  await assert.rejects(
    documents.send(new lib.GetCommand({ TableName: "Nowhere", Key: { pk: "a" } })),
    (error) => error.name === "ResourceNotFoundException" && error.message === "Requested resource not found",
  );

  const many = await Promise.all(
    Array.from({ length: 20 }, (_, sk) => documents.send(new lib.GetCommand({ TableName, Key: { pk: "a", sk } }))),
  );
  assert.equal(many.filter((one) => one.Item).length, 19);
  await client.send(new DeleteTableCommand({ TableName }));
  client.destroy();
  console.log("well");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
