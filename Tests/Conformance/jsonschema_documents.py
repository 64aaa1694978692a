"""Random JSON Schemas and values that have a chance to fit them."""

import random

NAMES = ["a", "b", "c", "ab", "abc", "x1", "é"]
SCALARS = [None, True, False, 0, 1, 2, 3, -1, 1.0, 1.5, 0.5, 10, "", "a", "b", "ab", "abc", "é😀", "x1"]
PATTERNS = ["^a", "b$", "^x\\d+$", "[a-c]+", "^$", "[0-9A-Za-z_]", "^(a|b)*$", "[^a]", "\\s", "^.{2}$", "é"]
FORMATS = ["date", "time", "date-time", "duration", "ipv4", "ipv6", "uuid", "email", "regex", "json-pointer"]


class Generator:
    DEFINITIONS = "$defs"

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.definitions = []

    def pair(self):
        """A schema and some values."""
        self.definitions = [f"d{number}" for number in range(self.random.randint(0, 3))]
        # A definition refers to itself only from inside its data, so that validating always ends.
        self.allowed = self.definitions
        schema = self.schema(0)
        if self.definitions:
            if not isinstance(schema, dict):
                schema = {}
            schema[self.DEFINITIONS] = {}
            for number, name in enumerate(self.definitions):
                self.allowed = self.definitions[number + 1:]
                schema[self.DEFINITIONS][name] = self.schema(1)
            for name, definition in schema[self.DEFINITIONS].items():
                if isinstance(definition, dict) and self.random.random() < 0.3:
                    self.name(definition, "at-" + name)
        return schema, [self.value(0) for _ in range(6)]

    def name(self, schema, anchor):
        schema["$anchor"] = anchor

    def value(self, depth):
        kind = self.random.random()
        if depth < 3 and kind < 0.3:
            return [self.value(depth + 1) for _ in range(self.random.randint(0, 4))]
        if depth < 3 and kind < 0.65:
            return {self.random.choice(NAMES): self.value(depth + 1) for _ in range(self.random.randint(0, 4))}
        return self.random.choice(SCALARS)

    def schema(self, depth):
        if self.random.random() < (0.05 if depth == 0 else 0.15):
            return self.random.choice([True, True, False])
        keywords = [self.scalars, self.scalars, self.arrays, self.objects, self.objects, self.logic, self.references]
        schema = {}
        for _ in range(self.random.choice([1, 1, 2, 2, 3])):
            if depth < 4:
                self.random.choice(keywords)(schema, depth + 1)
            else:
                self.scalars(schema, depth)
        return schema

    def schemas(self, depth):
        return [self.schema(depth) for _ in range(self.random.choice([1, 2, 2, 3]))]

    def members(self, depth):
        return {self.random.choice(NAMES): self.schema(depth) for _ in range(self.random.randint(1, 3))}

    def names(self):
        return self.random.sample(NAMES, self.random.randint(0, 2))

    def scalars(self, schema, depth):
        types = ["null", "boolean", "object", "array", "number", "string", "integer"]
        keyword = self.random.choice(["type", "type", "types", "enum", "const", "multipleOf", "minimum", "maximum",
                                      "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "pattern"])
        schema.update({
            "type": lambda: {"type": self.random.choice(types)},
            "types": lambda: {"type": self.random.sample(types, self.random.randint(1, 4))},
            "enum": lambda: {"enum": [self.value(2) for _ in range(self.random.randint(1, 5))]},
            "const": lambda: {"const": self.value(2)},
            "multipleOf": lambda: {"multipleOf": self.random.choice([1, 2, 0.5, 1.0])},
            "minLength": lambda: {"minLength": self.random.randint(0, 3)},
            "maxLength": lambda: {"maxLength": self.random.randint(0, 3)},
            "pattern": lambda: {"pattern": self.random.choice(PATTERNS)},
        }.get(keyword, lambda: {keyword: self.random.choice([-1, 0, 1, 1.5, 2])})())

    def arrays(self, schema, depth):
        keyword = self.random.choice(["prefixItems", "items", "contains", "minItems", "maxItems", "uniqueItems", "unevaluatedItems"])
        if keyword == "contains":
            schema["contains"] = self.inside(lambda: self.schema(depth))
            if self.random.random() < 0.4:
                schema["minContains"] = self.random.randint(0, 2)
            if self.random.random() < 0.4:
                schema["maxContains"] = self.random.randint(1, 3)
        elif keyword == "prefixItems":
            schema[keyword] = self.inside(lambda: self.schemas(depth))
        elif keyword == "uniqueItems":
            schema[keyword] = self.random.choice([True, True, False])
        elif keyword in ("minItems", "maxItems"):
            schema[keyword] = self.random.randint(0, 3)
        else:
            schema[keyword] = self.inside(lambda: self.schema(depth))

    def objects(self, schema, depth):
        keyword = self.random.choice([
            "properties", "properties", "patternProperties", "additionalProperties", "propertyNames", "required",
            "dependentRequired", "dependentSchemas", "minProperties", "maxProperties", "unevaluatedProperties"])
        schema[keyword] = {
            "properties": lambda: self.inside(lambda: self.members(depth)),
            "patternProperties": lambda: {self.random.choice(PATTERNS): self.inside(lambda: self.schema(depth))},
            "required": self.names,
            "dependentRequired": lambda: {self.random.choice(NAMES): self.names()},
            "dependentSchemas": lambda: self.members(depth),
            "minProperties": lambda: self.random.randint(0, 2),
            "maxProperties": lambda: self.random.randint(0, 3),
        }.get(keyword, lambda: self.inside(lambda: self.schema(depth)))()

    def logic(self, schema, depth):
        keyword = self.random.choice(["allOf", "anyOf", "oneOf", "not", "if"])
        if keyword == "not":
            schema["not"] = self.schema(depth)
        elif keyword == "if":
            schema["if"] = self.schema(depth)
            for branch in ("then", "else"):
                if self.random.random() < 0.7:
                    schema[branch] = self.schema(depth)
        else:
            schema[keyword] = self.schemas(depth)

    def references(self, schema, depth):
        if self.allowed:
            schema["$ref"] = f"#/{self.DEFINITIONS}/" + self.random.choice(self.allowed)

    def inside(self, make):
        """A schema for inner data, which may refer to any definition."""
        allowed, self.allowed = self.allowed, self.definitions
        try:
            return make()
        finally:
            self.allowed = allowed

    FORMAT_PARTS = ["2024", "-", "02", "29", "T", ":", "23", "59", "60", "Z", "+01:00", ".5", "P", "1", "Y", "M", "D", "W", "H",
                    "S", "::", "ffff", "a.b", "@", "contoso.com", "127.0.0.1", "256", "/", "~0", "~", "(", ")", "[", "]", "a",
                    "2eb8aa08-aa98-11ea-b4aa-73b441d16380", " ", "\\d", "t", "z", "00"]
    FORMAT_SEEDS = ["2024-02-29", "2023-12-31T23:59:59Z", "23:59:60Z", "12:00:00+01:00", "P1Y2M3DT4H5M6S", "P2W", "127.0.0.1",
                    "2001:db8::1", "::ffff:1.2.3.4", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "a@contoso.com", "^a(b)$", "/a/~0b"]

    def formatted(self):
        """A format, and a text that may match it."""
        text = self.random.choice(self.FORMAT_SEEDS)
        for _ in range(self.random.randint(0, 2)):
            place = self.random.randrange(len(text) + 1)
            text = self.random.choice([
                text[:place] + self.random.choice(self.FORMAT_PARTS) + text[place:], text[:place] + text[place + 1:],
                text[:place] + str(self.random.randint(0, 9)) + text[place + 1:]])
        return self.random.choice(FORMATS), text


class Draft7Generator(Generator):
    """Schemas of draft 7, with keywords that it does not have among them."""

    DEFINITIONS = "definitions"

    def pair(self):
        schema, values = super().pair()
        if not isinstance(schema, dict):
            schema = {"not": {"not": schema}}
        return {"$schema": "http://json-schema.org/draft-07/schema#", **schema}, values

    def name(self, schema, anchor):
        schema["$id"] = "#" + anchor

    def arrays(self, schema, depth):
        keyword = self.random.choice(["items", "items", "additionalItems", "other"])
        if keyword == "other":
            if "items" not in schema:
                super().arrays(schema, depth)
            # The package fails with a boolean here beside 'additionalItems'.
            if isinstance(schema.get("items"), bool):
                schema["items"] = {"allOf": [schema["items"]]}
            return
        if keyword == "items" and self.random.random() < 0.7:
            schema["items"] = self.inside(lambda: self.random.choice([[], self.schemas(depth), self.schemas(depth)]))
            keyword = self.random.choice(["additionalItems", "minItems"])
        inner = 1 if keyword == "minItems" else self.inside(lambda: self.schema(depth))
        schema[keyword] = {"allOf": [inner]} if keyword == "items" and isinstance(inner, bool) else inner

    def objects(self, schema, depth):
        if self.random.random() < 0.7:
            return super().objects(schema, depth)
        schema["dependencies"] = {self.random.choice(NAMES): self.random.choice([self.names, lambda: self.schema(depth)])()
                                  for _ in range(self.random.randint(0, 3))}
