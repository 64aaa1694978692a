"""The script that makes the model of Graph: it reads what Microsoft publishes as it reads its own lines of text."""

import importlib.util
import pathlib
import tempfile

from checks import check, end

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SPEC = importlib.util.spec_from_file_location("make_graph_model", ROOT / "scripts/make-graph-model.py")
MAKER = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(MAKER)

CSDL = """<?xml version="1.0"?>
<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx"><edmx:DataServices>
<Schema Namespace="microsoft.graph" Alias="graph" xmlns="http://docs.oasis-open.org/odata/ns/edm">
  <EntityType Name="entity" Abstract="true"><Key><PropertyRef Name="id"/></Key>
    <Property Name="id" Type="Edm.String" Nullable="false"/></EntityType>
  <EntityType Name="user" BaseType="graph.entity" OpenType="true">
    <Property Name="displayName" Type="Edm.String"/>
    <Property Name="phones" Type="Collection(Edm.String)" Nullable="false"/>
    <Property Name="since" Type="Edm.DateTimeOffset"/><Property Name="days" Type="graph.days"/>
    <NavigationProperty Name="manager" Type="graph.user"/>
    <NavigationProperty Name="alerts" Type="Collection(microsoft.graph.security.alert)" ContainsTarget="true"/>
  </EntityType>
  <EnumType Name="days" IsFlags="true"><Member Name="none" Value="0"/><Member Name="monday" Value="1"/></EnumType>
  <Action Name="assign" IsBound="true"><Parameter Name="bindingParameter" Type="graph.user"/>
    <Parameter Name="count" Type="Edm.Int32" Nullable="false"/><ReturnType Type="graph.user"/></Action>
  <Function Name="delta" IsBound="true"><Parameter Name="bindingParameter" Type="Collection(graph.user)"/>
    <ReturnType Type="Collection(graph.user)"/></Function>
  <EntityContainer Name="GraphService"><EntitySet Name="users" EntityType="microsoft.graph.user"/>
    <Singleton Name="me" Type="microsoft.graph.user"/></EntityContainer>
</Schema>
<Schema Namespace="microsoft.graph.security" Alias="self" xmlns="http://docs.oasis-open.org/odata/ns/edm">
  <EntityType Name="alert" BaseType="graph.entity"><Property Name="next" Type="self.state"/></EntityType>
  <ComplexType Name="state"><Property Name="size" Type="Edm.Double" Nullable="false"/></ComplexType>
</Schema></edmx:DataServices></edmx:Edmx>
"""
TEXT = """graph-model v1.0
E entity - abstract
p id string
E user entity open
p displayName string?
p phones [string]
p since datetime?
p days days?
n manager user
n alerts [security.alert] contains
U* days none monday
E security.alert entity
p next self.state?
C security.state -
p size double
A assign user user count:int
F delta [user] [user]
S users user
G me user
"""
PERMISSIONS = """{"permissions": {
  "User.Read.All": {"pathSets": [{"schemeKeys": ["DelegatedWork", "Application"], "methods": ["GET"],
    "paths": {"/users": "least=Application", "/users/{id}": ""}}]},
  "User.ReadBasic.All": {"pathSets": [{"schemeKeys": ["DelegatedWork"], "methods": ["GET"],
    "paths": {"/users": "least=DelegatedWork", "/gone": "least=DelegatedWork"}}]}}}
"""


def members(types):
    return {
        name: (kind.kind, kind.base, sorted(kind.members), sorted(map(str, kind.operations)), kind.values, kind.flags)
        for name, kind in types.items()
    }


with tempfile.TemporaryDirectory() as folder:
    csdl, text, permissions = [pathlib.Path(folder, name) for name in ("model.xml", "model.txt", "permissions.json")]
    csdl.write_text(CSDL)
    text.write_text(TEXT)
    permissions.write_text(PERMISSIONS)
    published, own = members(MAKER.read_csdl(csdl)), members(MAKER.read_text(text))
    for name in sorted(set(published) | set(own)):
        check(f"{name} is the same", published.get(name) == own.get(name), (published.get(name), own.get(name)))
    rows = {row[:2]: row[2:] for row in MAKER.permission_rows(permissions)}
    check("the least permissions are read", rows["/users", "GET"] == ([["User.ReadBasic.All"]], [["User.Read.All"]]), rows)
    check("without a least one, one that works is", rows["/users/{id}", "GET"] == ([["User.Read.All"]], [["User.Read.All"]]), rows)
    walk = MAKER.Walk(MAKER.read_csdl(csdl))
    check("a path has its way", walk.canonical("/users/{id}/alerts") == ["users", "*", "alerts"])
    check("a path that is not there has none", walk.canonical("/gone") is None)
    MAKER.corrections = lambda: iter(())
    table = MAKER.permissions(MAKER.permission_rows(permissions), walk)
    check("permissions of what is not there are left out", set(table) == {(("users",), "GET"), (("users", "*"), "GET")}, table)
    check("the form is the same each time", MAKER.swift(MAKER.read_csdl(csdl), table) == MAKER.swift(MAKER.read_csdl(csdl), table))

end("The facts of Graph")
